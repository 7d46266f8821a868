// Keeps a page true while it is open: the server says what changed, and those pieces of the page
// are fetched again. Nothing is made up here; every piece is what a fresh load would show.
"use strict";

const main = document.getElementById("main");
const pulse = document.getElementById("pulse");
const waiting = new Map();

async function renew(piece) {
  const answer = await fetch(piece.dataset.piece, { headers: { Accept: "text/html" } });
  if (!answer.ok || !piece.isConnected) return;
  const html = await answer.text();
  const fresh = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  if (!fresh) return;
  localTimes(fresh);
  piece.classList.remove("changed");
  if (fresh.outerHTML === piece.outerHTML) return;
  const focused = piece.contains(document.activeElement) ? document.activeElement.id : "";
  const strip = piece.querySelector("ol[id]");
  const left = strip ? strip.scrollLeft : 0;
  const said = fresh.dataset.say !== piece.dataset.say ? fresh.dataset.say : "";
  piece.replaceWith(document.adoptNode(fresh));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  if (strip) document.getElementById(strip.id)?.scrollTo({ left });
  if (said) {
    fresh.classList.add("changed");
    document.getElementById("said").textContent = said;
  }
}

// Many changes in a row are one: a piece that is due already is not made due again.
function soon(piece, spread = 0) {
  const path = piece.dataset.piece;
  if (waiting.has(path)) return;
  const wait = 40 + Math.random() * spread;
  waiting.set(path, setTimeout(() => {
    waiting.delete(path);
    const now = document.querySelector(`[data-piece="${path}"]`);
    if (now) renew(now).catch(() => {});
  }, wait));
}

function pieces() {
  return document.querySelectorAll("[data-piece]");
}

function changed(event) {
  const change = JSON.parse(event.data);
  const ours = document.querySelector(`[data-fixture="${change.fixture}"]`);
  const today = main.dataset.pageDay;
  if (today && !ours && change.day === today) return location.reload();
  for (const piece of pieces()) {
    const concerned = change.fixture === null || piece.dataset.fixture === String(change.fixture);
    if (concerned || (piece.dataset.day && ours)) soon(piece, change.spread_ms);
  }
}

function follow() {
  const address = new URL(main.dataset.live, location.href);
  if (main.dataset.since) address.searchParams.set("since", main.dataset.since);
  const stream = new EventSource(address);
  stream.addEventListener("change", changed);
  stream.addEventListener("reload", () => pieces().forEach((piece) => soon(piece, 2000)));
  stream.onopen = () => tell("on", "Live updates are on");
  stream.onerror = () => {
    tell("off", "Connecting again …");
    // The browser comes back by itself unless the server refused: then we do.
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
  };
}

function tell(state, text) {
  pulse.hidden = false;
  pulse.dataset.state = state;
  pulse.textContent = text;
}

function localTimes(root) {
  for (const time of root.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    time.textContent = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  }
}

localTimes(document);
document.getElementById("zone").textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
document.getElementById("day")?.addEventListener("change", (event) => {
  if (event.target.value) event.target.form.requestSubmit();
});
if (main.dataset.live) follow();
// The minute runs without anything being written: matches in play are looked at again.
setInterval(() => {
  if (!document.hidden) document.querySelectorAll("[data-ticks]").forEach((one) => soon(one, 3000));
}, 30000);
const often = document.querySelector("[data-every]");
if (often) {
  setInterval(() => {
    if (!document.hidden) soon(document.querySelector("[data-every]"));
  }, 1000 * Number(often.dataset.every));
}
