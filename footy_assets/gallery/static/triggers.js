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
  let terms = new Map(), lastTriggers = "";

  const element = (tag, properties = {}, ...inside) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...inside);
    return made;
  };
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
    return response.ok;
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

  function addOption() {
    const event = choice("event", [...terms.values()].map((term) => [term.event, term.label]));
    event.value = "football.goal.team";
    const row = element("div", { className: "option" }, labelled("what", event));
    if (options.children.length) {
      const drop = element("button", { type: "button", className: "button drop" }, "Remove");
      drop.addEventListener("click", () => row.remove());
      row.append(drop);
    }
    event.addEventListener("change", () => renderRow(row));
    options.append(row);
    renderRow(row);
    return event;
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
    const body = { data: { type: "trigger", attributes: { trigger, conditions: conditions(), limits } } };
    if (!(await change("POST", "/triggers", body))) return;
    showMessage("Trigger created.");
    await refresh();
  }

  // -- the list ------------------------------------------------------------------------

  const labelOf = (one, value) =>
    terms.get(one.event)?.targets.find((target) => String(target.value) === String(value))?.label ?? value;
  const describe = (one) =>
    `${terms.get(one.event)?.label ?? one.event} ${COMPARISONS[one.compare]} ${one.targets.map((value) => labelOf(one, value)).join(", ")}`;
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
        `${new Date(one.at).toLocaleTimeString()} because of ${one.reason}`,
        one.retracted_by ? `, retracted by ${one.retracted_by}` : "", explanationTable(one.explanation))));
    if (!activations.length) into.replaceChildren(element("li", {}, "No activations yet."));
  }

  async function deleteTrigger(trigger) {
    if (!token.reportValidity()) return;
    if (await change("DELETE", `/triggers/${encodeURIComponent(trigger.id)}`)) showMessage("Trigger deleted.");
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
    return element("li", {},
      element("div", { className: "trigger-head" }, element("b", {}, words),
        element("span", { className: `chip count ${count ? "clips" : "stable"}` }, `${count} fired`)),
      element("div", { className: "trigger-foot" },
        element("small", {}, `For ${whose}${most ? `, at most ${most}` : ""}`), end), details);
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
    for (const button of make.querySelectorAll("button:disabled")) button.disabled = false;
    await refresh();
    setInterval(() => document.hidden || refresh().catch(() => {}), RELOAD_MS);
  }

  token.value = sessionStorage.getItem(TOKEN_KEY) ?? "";
  document.getElementById("more").addEventListener("click", () => addOption().focus());
  make.addEventListener("submit", submit);
  start().catch((error) => showMessage(error.message, true));
})();
