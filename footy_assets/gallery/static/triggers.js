// Builds the form from the API's metadata, and reloads the list of triggers every few seconds. The
// token is stored for this tab only.
"use strict";
(() => {
  const game = document.getElementById("triggers").dataset.game, api = "/api/v1";
  const COMPARISONS = { in: "is one of", eq: "is", ne: "is not", gt: ">", ge: "≥", lt: "<", le: "≤" };
  const LIMITS = { scope: "in the match", minute: "in a minute", "football.match.half": "in a half" };
  const RELOAD_MS = 5000, TOKEN_KEY = "footy-token";
  const make = document.getElementById("make"), options = document.getElementById("options");
  const answer = document.getElementById("answer"), list = document.getElementById("list");
  const token = make.elements.token;
  const wish = document.getElementById("wish"), where = footy.channelField(), element = footy.element;
  let terms = new Map(), lastTriggers = "";

  const choice = (name, entries) =>
    element("select", { name }, ...entries.map(([value, label]) => element("option", { value }, label)));
  const labelled = (text, field) => element("label", {}, text, field);

  // -- requests ------------------------------------------------------------------------

  function showMessage(text, wrong = false) {
    answer.className = wrong ? "wrong" : "";
    answer.value = text;
    document.getElementById("announcer").textContent = text;
  }

  async function read(path) {
    const response = await fetch(api + path);
    if (!response.ok) throw new Error((await response.json()).detail);
    return (await response.json()).data;
  }

  async function change(method, path, body) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token.value}` };
    const response = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
    if (response.ok) sessionStorage.setItem(TOKEN_KEY, token.value);
    else showMessage((await response.json()).detail, true);
    return response.ok ? (response.status === 204 ? {} : await response.json()) : null;
  }

  // -- the form ------------------------------------------------------------------------

  function targetsField(term) {
    if (term.targets.length) {
      const field = choice("targets", term.targets.map((one) => [one.value, one.label]));
      field.multiple = term.compare.includes("in");
      field.size = Math.min(5, term.targets.length);
      field.options[0].selected = true;
      return field;
    }
    return element("input", { name: "targets", type: term.type === "number" ? "number" : "text", required: true });
  }

  function renderRow(row) {
    const term = terms.get(row.querySelector("[name=event]").value);
    row.querySelectorAll(".of").forEach((one) => one.remove());
    const compare = choice("compare", term.compare.map((one) => [one, COMPARISONS[one]]));
    if (term.aggregate) compare.value = "eq";
    const parts = [labelled("compared", compare), labelled("with", targetsField(term))];
    if (term.aggregate) {
      const who = targetsField(terms.get(term.parent));
      who.name = "who";
      parts.push(labelled("of", who));
    }
    for (const part of parts) part.className = "of";
    row.querySelector("label").after(...parts);
  }

  function addOption(given = { event: "football.goal.team" }) {
    const event = choice("event", [...terms.values()].map((term) => [term.event, term.label]));
    event.value = given.event;
    const row = element("div", { className: "option" }, labelled("what", event));
    if (options.children.length) {
      const drop = element("button", { type: "button", className: "button drop" }, "Remove");
      drop.addEventListener("click", () => row.remove());
      row.append(drop);
    }
    event.addEventListener("change", () => renderRow(row));
    options.append(row);
    renderRow(row);
    if (given.compare) row.querySelector("[name=compare]").value = given.compare;
    if (given.targets) choose(row.querySelector("[name=targets]"), given.targets);
    return event;
  }

  function choose(field, values) {
    if (field.options) for (const one of field.options) one.selected = values.includes(one.value);
    else field.value = values[0];
  }

  // Fills the form in; what the wish leaves open, such as the player, is chosen there.
  function fulfil() {
    const wanted = footyWishes[Number(wish.value)];
    if (wish.value === "" || !wanted) return;
    options.replaceChildren();
    for (const row of wanted.rows) addOption(row);
    make.elements.scope.value = wanted.limit;
    const open = options.querySelector(wanted.rows[0].targets ? "[name=who]" : "[name=targets]");
    (open ?? make.querySelector("[type=submit]")).focus();
  }

  function targets(field, term) {
    const given = field.multiple ? [...field.selectedOptions].map((one) => one.value) : [field.value];
    return term.type === "number" ? given.map(Number) : given;
  }

  function conditions() {
    return [...options.children].map((row) => {
      const get = (name) => row.querySelector(`[name=${name}]`);
      const term = terms.get(get("event").value);
      const condition = { event: term.event, compare: get("compare").value, targets: targets(get("targets"), term) };
      if (condition.targets.length > 1 && condition.compare === "eq") condition.compare = "in";
      const who = get("who");
      if (who) condition.options = [{ event: term.parent, compare: "in", targets: targets(who, terms.get(term.parent)) }];
      return condition;
    });
  }

  async function submit(event) {
    event.preventDefault();
    const given = new FormData(make), limits = {};
    for (const name of Object.keys(LIMITS)) if (given.get(name) !== "") limits[name] = Number(given.get(name));
    const trigger = { entity: given.get("entity"), entity_id: given.get("entity_id"), scope_id: game };
    const attributes = { trigger, conditions: conditions(), limits }, subscription = where.given();
    const told = Object.keys(subscription).length > 0;
    if (told) attributes.subscription = subscription;
    const made = await change("POST", "/triggers", { data: { type: "trigger", attributes } });
    if (!made) return;
    footy.remember(`${trigger.entity}/${trigger.entity_id}`);
    showMessage(told ? `Trigger created. Messages go to ${where.label()}.` : "Trigger created. This page shows when it fires.");
    if (made.subscription) offerTest(made.subscription.id);
    where.forget();
    await where.load(token.value);
    await refresh();
  }

  function offerTest(id) {
    const button = element("button", { type: "button", className: "button", id: "test" }, "Send a test message");
    document.getElementById("test")?.remove();
    button.addEventListener("click", async () => {
      const answered = await change("POST", `/subscriptions/${encodeURIComponent(id)}/test`);
      if (!answered) return;
      const { delivered, error } = answered.data;
      showMessage(delivered ? "The test message was accepted." : `The test message failed: ${error}`, !delivered);
    });
    answer.after(" ", button);
  }

  // -- the list ------------------------------------------------------------------------

  const labelOf = (one, value) =>
    terms.get(one.event)?.targets.find((target) => String(target.value) === String(value))?.label ?? value;
  // "Goal for Liverpool or Chelsea", "Comes on: Salah", "Team is Liverpool", "Minute ≥ 85".
  function describe(one) {
    const label = terms.get(one.event)?.label ?? one.event, chosen = one.targets.map((value) => labelOf(one, value)).join(" or ");
    if (one.compare !== "in" && one.compare !== "eq") return `${label} ${COMPARISONS[one.compare]} ${chosen}`;
    if (/ (for|by|of)$/.test(label)) return `${label} ${chosen}`;
    return /^(Comes|Goes|Starts|Is)\b/.test(label) ? `${label}: ${chosen}` : `${label} is ${chosen}`;
  }
  const describeLimits = (limits) =>
    Object.entries(limits ?? {}).filter(([, most]) => most)
      .map(([name, most]) => `${most} ${LIMITS[name] ?? `for each ${terms.get(name)?.label ?? name}`}`).join(", ");

  function explanationTable(explanation) {
    const rows = explanation.conditions.flatMap((one) => one.options).map((one) => {
      const seen = one.value === null || one.value === undefined ? "nothing" : [one.value].flat().map((value) => labelOf(one, value)).join(", ");
      const held = one.result ? "✓ holds" : "✗ does not";
      return element("tr", {}, ...[describe(one), `seen: ${seen}`, held].map((text) => element("td", {}, text)));
    });
    return element("table", {}, element("tbody", {}, ...rows));
  }

  async function history(trigger, into) {
    const activations = await read(`/triggers/${encodeURIComponent(trigger.id)}/activations`);
    into.replaceChildren(...activations.map(({ attributes: one }) =>
      element("li", { className: one.retracted_by ? "gone" : "" },
        `${new Date(one.at).toLocaleTimeString([], { timeZone: "UTC" })} because of ${one.reason}`,
        one.retracted_by ? `, retracted by ${one.retracted_by}` : "", explanationTable(one.explanation))));
    if (!activations.length) into.replaceChildren(element("li", {}, "No activations yet."));
  }

  async function deleteTrigger(trigger) {
    if (!token.reportValidity()) return;
    if (await change("DELETE", `/triggers/${encodeURIComponent(trigger.id)}`)) showMessage("Trigger deleted.");
    await refresh();
  }

  async function pause(trigger, disabled) {
    if (!token.reportValidity()) return;
    const body = { trigger: { disabled } };
    if (await change("PATCH", `/triggers/${encodeURIComponent(trigger.id)}`, body)) showMessage(disabled ? "Paused." : "Resumed.");
    await refresh();
  }

  function item(one, open) {
    const attributes = one.attributes, past = element("ol"), count = attributes.counts.scope ?? 0;
    const details = element("details", {}, element("summary", {}, "History"), past);
    details.dataset.id = one.id;
    details.addEventListener("toggle", () => details.open && history(one, past));
    details.open = open;
    const words = attributes.conditions.map((c) => [c, ...(c.options ?? [])].map(describe).join(", ")).join(" and ");
    const whose = `${attributes.trigger.entity} ${attributes.trigger.entity_id}`;
    const most = describeLimits(attributes.limits);
    const end = element("button", { type: "button", className: "button" }, "Delete");
    end.setAttribute("aria-label", `Delete the trigger of ${whose}: ${words}`);
    end.addEventListener("click", () => deleteTrigger(one));
    const paused = attributes.trigger.disabled || attributes.trigger.disabled_entity;
    const rest = element("button", { type: "button", className: "button" }, paused ? "Resume" : "Pause");
    rest.setAttribute("aria-label", `${paused ? "Resume" : "Pause"} the trigger of ${whose}: ${words}`);
    rest.addEventListener("click", () => pause(one, !paused));
    return element("li", { className: paused ? "paused" : "" },
      element("div", { className: "trigger-head" }, element("b", {}, words),
        element("span", { className: `chip count ${count ? "clips" : "stable"}` }, `${count} fired`)),
      element("div", { className: "trigger-foot" },
        element("small", {}, `For ${whose}${most ? `, at most ${most}` : ""}${paused ? ", paused" : ""}`),
        element("span", { className: "buttons" }, rest, " ", end)), details);
  }

  async function refresh() {
    const triggers = await read(`/triggers?scope_id=${encodeURIComponent(game)}`);
    const now = JSON.stringify(triggers);
    if (now === lastTriggers) return;
    lastTriggers = now;
    const open = new Set([...list.querySelectorAll("details[open]")].map((one) => one.dataset.id));
    const items = triggers.map((one) => item(one, open.has(one.id)));
    const empty = element("li", { className: "meaning" }, "No triggers on this match yet.");
    list.replaceChildren(...(items.length ? items : [empty]));
  }

  async function start() {
    const { attributes } = await read(`/triggers/metadata?scope_id=${encodeURIComponent(game)}`);
    terms = new Map(attributes.events.map((term) => [term.event, term]));
    addOption();
    wish.append(...footyWishes.map((one, number) => element("option", { value: number }, one.label)));
    for (const button of make.querySelectorAll(":disabled")) button.disabled = false;
    await refresh();
    setInterval(() => document.hidden || refresh().catch(() => {}), RELOAD_MS);
    document.addEventListener("footy:triggers", () => refresh().catch(() => {}));
    where.load(token.value).catch(() => {});
  }

  token.value = sessionStorage.getItem(TOKEN_KEY) ?? "";
  document.getElementById("more").addEventListener("click", () => addOption().focus());
  make.addEventListener("submit", submit);
  document.getElementById("where").append(where.field);
  wish.addEventListener("change", fulfil);
  token.addEventListener("change", () => where.load(token.value).catch(() => {}));
  start().catch((error) => showMessage(error.message, true));
})();
