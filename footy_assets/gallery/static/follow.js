// Follow buttons and their dialog, the field that says where messages go, and messages about what
// this browser follows, shown in the page as they happen. The token is stored for this tab only.
"use strict";
const footy = (() => {
  const api = "/api/v1", TOKEN_KEY = "footy-token", MINE_KEY = "footy-mine", SHOWN_MS = 15000;
  const ADDRESS_HELP = "ntfy://ntfy.example/topic, tgram://TOKEN/CHAT, mailto://…, https://… (webhook)";

  const element = (tag, properties = {}, ...inside) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...inside);
    return made;
  };
  const option = (value, label) => element("option", { value }, label);

  // -- requests ------------------------------------------------------------------------

  async function ask(method, path, token, body) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const response = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
    const answer = response.status === 204 ? {} : await response.json();
    if (!response.ok) throw new Error(answer.detail);
    sessionStorage.setItem(TOKEN_KEY, token);
    return answer;
  }

  const storedToken = () => sessionStorage.getItem(TOKEN_KEY) ?? "";

  // -- where messages go ---------------------------------------------------------------

  // A select of the known channels, by their masked addresses, with a field for another one.
  function channelField() {
    const known = element("select", { name: "channel" }, option("", "This page only"), option("new", "Another address …"));
    const address = element("input", {
      name: "url", type: "text", maxLength: 2000, autocomplete: "off", spellcheck: false,
      placeholder: "ntfy://ntfy.example/topic",
    });
    const other = element("label", { className: "address" }, "its address", address, element("small", {}, ADDRESS_HELP));
    const show = () => {
      other.hidden = known.value !== "new";
      address.required = !other.hidden;
    };
    known.addEventListener("change", show);
    show();
    const field = element("div", { className: "channel" }, element("label", {}, "Send it to", known), other);
    async function load(token) {
      if (!token) return;
      const { data } = await ask("GET", "/channels", token);
      const chosen = known.value;
      known.replaceChildren(...data.map((one) => option(one.id, one.url)), option("", "This page only"), option("new", "Another address …"));
      known.value = data.length && !chosen ? data[0].id : chosen;
      show();
    }
    const given = () => {
      if (known.value === "new") return { url: address.value.trim() };
      return known.value ? { channel: known.value } : {};
    };
    // What was typed has a secret: it is not shown again.
    const forget = () => {
      address.value = "";
      known.value = "";
      show();
    };
    const label = () => (known.value === "new" ? "the address" : known.selectedOptions[0].textContent);
    return { field, load, given, forget, label };
  }

  // -- following -----------------------------------------------------------------------

  function dialog(kind, target, name) {
    const where = channelField();
    const number = (label, name, properties) => element("label", {}, label, element("input", { name, ...properties }));
    const answer = element("output", {});
    const token = element("input", { name: "token", type: "password", autocomplete: "off", required: true, value: storedToken() });
    const form = element("form", { method: "dialog", className: "follow-form" },
      element("h2", {}, `Follow ${name}`),
      element("p", { className: "meaning" }, kind === "match"
        ? "Goals, cards, the final whistle and clips of this match."
        : "Goals, cards, final whistles and clips, in this and all later matches."),
      where.field,
      element("details", {}, element("summary", {}, "Quiet hours and limits"),
        element("div", { className: "pair" },
          number("quiet from", "start", { type: "time" }), number("until", "end", { type: "time" })),
        number("at most, in a match", "cap", { type: "number", min: 1, max: 1000, placeholder: "any" })),
      element("label", { hidden: Boolean(storedToken()) }, "Access token", token, element("small", {}, "FOOTY_API_TOKEN, remembered until you close this tab")),
      element("p", { className: "do" },
        element("button", { type: "submit", className: "button first" }, "Follow"),
        element("button", { type: "button", className: "button cancel" }, "Cancel"), answer));
    const box = element("dialog", { className: "follow-dialog" }, form);
    box.setAttribute("aria-label", `Follow ${name}`);
    const fail = (error) => {
      answer.className = "wrong";
      answer.value = error.message;
      token.parentElement.hidden = false;
    };
    form.querySelector(".cancel").addEventListener("click", () => box.close());
    token.addEventListener("change", () => where.load(token.value).catch(fail));
    box.addEventListener("close", () => box.remove());
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const given = new FormData(form), body = { kind, target, ...where.given() };
      if (given.get("cap")) body.cap = Number(given.get("cap"));
      if (given.get("start") && given.get("end")) {
        const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        body.quiet = { start: given.get("start"), end: given.get("end"), zone };
      }
      try {
        const { data } = await ask("POST", "/follows", token.value, body);
        remember(`follow/${data.id}`);
        box.close();
        toast({ title: `You follow ${data.name}`, text: data.to ? `Messages go to ${data.to}.` : "Messages appear in open pages." });
        if (window.Notification && Notification.permission === "default") Notification.requestPermission();
      } catch (error) {
        fail(error);
      }
    });
    document.body.append(box);
    box.showModal();
    where.load(token.value).catch(() => {});
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-follow]");
    if (button) dialog(button.dataset.follow, button.dataset.target, button.dataset.name);
  });

  // -- messages in the page ------------------------------------------------------------

  const mine = () => JSON.parse(localStorage.getItem(MINE_KEY) ?? "[]");
  let seen = null;

  function remember(entity) {
    const all = [...new Set([entity, ...mine()])].slice(0, 50);
    localStorage.setItem(MINE_KEY, JSON.stringify(all));
    if (seen === null) notice();
  }

  function toast({ title, text, link }) {
    let shelf = document.getElementById("toasts");
    if (!shelf) document.body.append((shelf = element("div", { id: "toasts" })));
    shelf.setAttribute("role", "status");
    const close = element("button", { type: "button", className: "close" }, "×");
    close.setAttribute("aria-label", "Close");
    const words = text.split("\n").filter((line) => line && line !== link);
    const inside = [element("b", {}, title), ...words.map((line) => element("span", {}, line))];
    if (link) inside.push(element("a", { href: new URL(new URL(link).pathname, location.href) }, "Watch"));
    const one = element("div", { className: "toast" }, close, ...inside);
    close.addEventListener("click", () => one.remove());
    shelf.prepend(one);
    setTimeout(() => one.remove(), SHOWN_MS);
  }

  async function notice() {
    const entities = mine();
    if (!entities.length) return;
    const query = new URLSearchParams(entities.map((one) => ["entity", one]));
    const response = await fetch(`${api}/activations/recent?${query}`);
    if (!response.ok) return;
    const { data } = await response.json();
    const fresh = data.filter((one) => seen !== null && !seen.has(key(one)));
    seen = new Set([...(seen ?? []), ...data.map(key)]);
    for (const { attributes } of fresh.reverse()) {
      const { message } = attributes;
      toast(message);
      if (document.hidden && window.Notification && Notification.permission === "granted") {
        new Notification(message.title, { body: message.text });
      }
    }
  }
  const key = (one) => `${one.id}|${one.attributes.retracted}`;

  document.addEventListener("footy:triggers", () => notice().catch(() => {}));
  notice().catch(() => {});
  return { ask, channelField, element, remember, storedToken };
})();
