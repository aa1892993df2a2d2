"use strict";
// Pages and filters the cases. It reads one data block and sets text: nothing from it is ever read as HTML.
(() => {
  const PAGE = 25;
  const get = (id) => document.getElementById(id);
  const subjects = JSON.parse(get("data").textContent).subjects;
  if (!subjects.length) return;

  function make(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  const isolated = (text) => make("code", "", make("bdi", "", text));

  function side(found) {
    if (!found) return make("div", "side none", "nothing");
    const [text, fields] = found;
    const told = fields.map(([name, value, differs]) =>
      make("div", differs ? "differs" : "", make("dt", "", name), make("dd", "", value)));
    return make("div", "side", make("p", "", text), fields.length ? make("dl", "", ...told) : null);
  }

  function listOf(className, lines) {
    return lines.length ? make("ul", className, ...lines.map((line) => make("li", "", line))) : null;
  }

  function body([reason, rows, lines, edits]) {
    const parts = [reason ? make("p", "reason", reason) : null];
    if (rows.length) {
      const head = make("div", "opposite head", make("span", "", "expected"), make("span"), make("span", "", "predicted"));
      const drawn = rows.map(([expected, predicted, link, state]) =>
        make("div", `opposite ${state}`, side(expected), make("span", "link", make("span", "", link)), side(predicted)));
      parts.push(make("div", "matching", head, ...drawn));
    }
    return [...parts, listOf("lines", lines), listOf("edits", edits)].filter((part) => part !== null);
  }

  const statusOf = (subject, place) => subject.statuses[Number(subject.status[place])];
  const scoreOf = (subject, place) => subject.scores[place] ?? (statusOf(subject, place) === "right" ? 1 : 0);

  function drawn(subject, place) {
    const status = statusOf(subject, place), change = subject.changes[place], reason = subject.left_out[place];
    const summary = make("summary", "", isolated(subject.ids[place]), make("span", `mark ${status}`, status),
      change ? make("span", `mark ${change}`, change) : null,
      make("span", "score", `score ${scoreOf(subject, place).toFixed(3)}`));
    const left = reason === undefined ? null : make("p", "quiet", `In no mean: ${subject.reasons[reason]}`);
    const made = make("details", "case", summary, left);
    made.addEventListener("toggle", () => fill(made, subject, place), { once: true });
    return made;
  }

  function fill(made, subject, place) {
    if (made.dataset.filled) return;
    made.dataset.filled = "yes";
    const view = subject.views[place];
    if (view) made.append(...body(view));
    else made.append(make("p", "quiet", statusOf(subject, place) === "right"
      ? "Right: nothing differs in what is scored." : "Not on this page, to keep it small: report.json has the details."));
  }

  const state = { subject: 0, outcome: "", find: "", page: 0 };
  const texts = subjects.map((subject) => subject.ids.map((id, place) => {
    const view = subject.views[place];
    return (id + (view ? `\n${JSON.stringify(view)}` : "")).toLowerCase();
  }));

  function matches(subject, place) {
    const status = statusOf(subject, place), wanted = state.outcome;
    const fits = !wanted || wanted === status || wanted === subject.changes[place]
      || (wanted === "not right" && status !== "right");
    return fits && texts[state.subject][place].includes(state.find);
  }

  function draw() {
    const subject = subjects[state.subject];
    const found = subject.ids.map((_, place) => place).filter((place) => matches(subject, place));
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    state.page = Math.min(Math.max(state.page, 0), pages - 1);
    const shown = found.slice(state.page * PAGE, (state.page + 1) * PAGE);
    get("list").replaceChildren(...shown.map((place) => drawn(subject, place)));
    const hidden = subject.cases - subject.ids.length;
    get("told").textContent = `${found.length} of ${subject.cases} cases, page ${state.page + 1} of ${pages}`
      + (hidden ? `; ${hidden} right cases are not listed here, but in report.json` : "");
    get("previous").disabled = state.page === 0;
    get("next").disabled = state.page === pages - 1;
  }

  function change(name, value) {
    state[name] = value;
    state.page = 0;
    draw();
  }

  function turn(by) {
    state.page += by;
    draw();
  }

  function step(by) {
    const all = [...get("list").querySelectorAll("summary")];
    const next = all[Math.min(Math.max(all.indexOf(document.activeElement) + by, 0), all.length - 1)];
    if (next) next.focus();
  }

  const keys = { j: () => step(1), k: () => step(-1), n: () => turn(1), p: () => turn(-1), "/": () => get("find").focus() };

  document.addEventListener("keydown", (event) => {
    const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (event.key === "Escape" && event.target === get("find")) {
      get("find").value = "";
      change("find", "");
    }
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  get("subject").addEventListener("change", (event) => change("subject", Number(event.target.value)));
  get("outcome").addEventListener("change", (event) => change("outcome", event.target.value));
  get("find").addEventListener("input", (event) => change("find", event.target.value.toLowerCase()));
  get("previous").addEventListener("click", () => turn(-1));
  get("next").addEventListener("click", () => turn(1));
  window.addEventListener("beforeprint", () => document.querySelectorAll("details.case").forEach((found) => { found.open = true; }));

  const wrong = subjects.findIndex((subject) => [...subject.status].some((_, place) => statusOf(subject, place) !== "right"));
  state.subject = Math.max(wrong, 0);
  get("subject").value = String(state.subject);
  if (wrong >= 0) state.outcome = get("outcome").value = "not right";
  get("browse").hidden = false;
  get("first").hidden = true;
  draw();
})();
