// Keeps an open page up to date: the server sends what changed, and those pieces of the page are
// fetched again. Every piece is what a fresh load would show.
"use strict";

const main = document.getElementById("main");
const pulse = document.getElementById("pulse");
const waiting = new Map();

async function refreshPiece(piece) {
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
  const announcement = fresh.dataset.say !== piece.dataset.say ? fresh.dataset.say : "";
  piece.replaceWith(document.adoptNode(fresh));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  if (strip) document.getElementById(strip.id)?.scrollTo({ left });
  if (announcement) {
    fresh.classList.add("changed");
    document.getElementById("announcer").textContent = announcement;
  }
}

// A piece that is already scheduled is not scheduled again, so many changes cause one request.
function scheduleRefresh(piece, spread = 0, least = 40) {
  const path = piece.dataset.piece;
  if (waiting.has(path)) return;
  const wait = least + Math.random() * spread;
  waiting.set(path, setTimeout(() => {
    waiting.delete(path);
    const now = document.querySelector(`[data-piece="${path}"]`);
    // On failure, try again later: the stream does not repeat the change.
    if (now) refreshPiece(now).catch(() => scheduleRefresh(now, 1000, 1000));
  }, wait));
}

function pieces() {
  return document.querySelectorAll("[data-piece]");
}

function onChange(event) {
  const change = JSON.parse(event.data);
  if (change.kind === "triggers") {
    document.dispatchEvent(new CustomEvent("footy:triggers", { detail: change }));
    return undefined;
  }
  const onPage = document.querySelector(`[data-fixture="${change.fixture}"]`);
  const today = main.dataset.pageDay;
  if (today && !onPage && change.day === today) return location.reload();
  for (const piece of pieces()) {
    const concerned = change.fixture === null || piece.dataset.fixture === String(change.fixture);
    if (concerned || (piece.dataset.day && onPage)) scheduleRefresh(piece, change.spread_ms);
  }
  return undefined;
}

function connect() {
  const address = new URL(main.dataset.live, location.href);
  if (main.dataset.since) address.searchParams.set("since", main.dataset.since);
  const stream = new EventSource(address);
  stream.addEventListener("change", onChange);
  stream.addEventListener("reload", () => pieces().forEach((piece) => scheduleRefresh(piece, 2000)));
  stream.onopen = () => showStatus("on", "Live updates are on");
  stream.onerror = () => {
    showStatus("off", "Reconnecting …");
    // The browser reconnects by itself, except after an HTTP error.
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 5000);
  };
}

function showStatus(state, text) {
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
if (main.dataset.live) connect();
// The running minute is computed, not stored, so no change announces it: reload live matches.
setInterval(() => {
  if (!document.hidden) document.querySelectorAll("[data-ticks]").forEach((one) => scheduleRefresh(one, 3000));
}, 30000);
const periodic = document.querySelector("[data-every]");
if (periodic) {
  setInterval(() => {
    if (!document.hidden) scheduleRefresh(document.querySelector("[data-every]"));
  }, 1000 * Number(periodic.dataset.every));
}
