"use strict";
(() => {
  const PAGE = 50;
  const STATES = { r: "right", w: "wrong", l: "left out" };
  const CHANGES = { w: "worse", b: "better", n: "new" };
  const SIGNS = { right: "✓ ", wrong: "✕ ", "left out": "– ", worse: "▼ ", better: "▲ ", new: "✦ " };
  const LINKS = { right: "=", differs: "≠", alone: "no match" };

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null) made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const pill = (word) => element("span", { class: `pill ${word.replace(" ", "-")}` }, SIGNS[word] + word);

  const side = (found, of) => {
    const cap = element("span", { class: "cap" }, of);
    if (found === null) return element("div", { class: "side none" }, cap, element("p", { class: "text" }, "nothing"));
    const [text, fields] = found;
    const made = element("div", { class: "side" }, cap, element("p", { class: "text" }, text || "(empty)"));
    const list = fields.map(([name, value, differs]) => {
      const told = element("dd", {}, value, ...(differs ? [" ", element("span", { class: "sign-text" }, "≠")] : []));
      return element("div", { class: differs ? "differs" : null }, element("dt", {}, name), told);
    });
    if (list.length) made.append(element("dl", {}, ...list));
    return made;
  };

  const pairOf = ([expected, predicted, link, state]) => {
    const between = element("div", { class: "link" }, element("span", {}, link || LINKS[state]));
    return element("li", { class: predicted && link !== "extra" ? state : `${state} amiss` }, side(expected, "expected"), between, side(predicted, "predicted"));
  };

  const heads = () => {
    const sides = ["expected", "predicted"].map((of) => element("span", {}, of));
    return element("p", { class: "pairs-head", "aria-hidden": "true" }, ...sides);
  };

  const listOf = (title, name, lines) => {
    if (!lines.length) return [];
    return [element("h4", {}, title), element("ul", { class: name }, ...lines.map((line) => element("li", {}, line)))];
  };

  const viewOf = ([reason, pairs, lines, edits]) => [
    ...(reason ? [element("p", { class: "reason" }, reason)] : []),
    ...(pairs.length ? [heads(), element("ol", { class: "pairs" }, ...pairs.map(pairOf))] : []),
    ...listOf("Differences", "lines", lines),
    ...listOf("What would have matched", "edits", edits),
  ];

  const rowsOf = (data) =>
    data.subjects.flatMap((subject, at) =>
      [...subject.states].flatMap((sign, place) => {
        if (sign === " ") return [];
        const state = STATES[sign];
        const change = CHANGES[subject.changes[place]] || "";
        const view = subject.views[place] || null;
        const note = subject.notes[place] || "";
        const anchor = `case-${at}-${data.numbers[place]}`;
        return [{ id: data.ids[place], of: subject.name, state, change, view, note, anchor, score: subject.scores[place] }];
      }),
    );

  const folded = (text) => text.toLowerCase().replace(/\s+/g, " ").trim();
  const sideWords = (found) => (found ? [found[0], ...found[1].map(([name, value]) => `${name} ${value}`)] : []);
  const pairWords = ([expected, predicted, link, state]) => [...sideWords(expected), link || LINKS[state], ...sideWords(predicted)];
  const viewWords = ([reason, pairs, lines, edits]) => [reason, ...pairs.flatMap(pairWords), ...lines, ...edits];
  const searched = (row) => {
    row.text ??= [row.id, row.note, ...(row.view ? viewWords(row.view) : [])].map(folded).join("\n");
    return row.text;
  };
  const countsOf = (pairs) => {
    const counts = [
      [pairs.filter(([, predicted]) => predicted === null).length, "missing"],
      [pairs.filter(([expected]) => expected === null).length, "not expected"],
      [pairs.filter(([expected, predicted, , state]) => expected && predicted && state === "differs").length, "different"],
    ];
    return counts.filter(([number]) => number).map(([number, word]) => `${number} ${word}`).join(", ");
  };
  const gistOf = ({ note, view }) => [note, view ? view[0] || view[2][0] || countsOf(view[1]) : ""].filter(Boolean).join("; ");

  const explorer = document.getElementById("explorer");
  const block = document.getElementById("cases-data");
  const still = document.getElementById("static-cases");
  if (!explorer || !block) return;
  const data = JSON.parse(block.textContent);
  const rows = rowsOf(data);
  if (!rows.length) return;

  const option = (value, text) => element("option", { value }, text);
  const text = element("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false" });
  const subject = element("select", {}, option("", "all subjects"), ...data.subjects.map((one) => option(one.name, one.name)));
  const states = [...Object.values(STATES), ...Object.values(CHANGES)];
  const state = element("select", {}, option("", "all"), ...states.map((word) => option(word, word)));
  const count = element("p", { class: "under", role: "status", "aria-live": "polite", id: "count" });
  const body = element("tbody");
  const back = element("button", { type: "button" }, "Previous");
  const onward = element("button", { type: "button" }, "Next");
  const where = element("span", { id: "where" });
  let found = rows;
  let page = 0;

  const labelled = (title, control, grow) => element("label", { class: grow ? "grow" : null }, title, control);
  const titles = ["case", "subject", "result", "score", "what there is to see"];
  const columns = titles.map((title) => element("th", { scope: "col", class: title === "score" ? "n" : null }, title));
  const table = element(
    "table",
    { class: "explored" },
    element("caption", {}, "All cases of all subjects; a case's name opens what is known of it"),
    element("thead", {}, element("tr", {}, ...columns)),
    body,
  );

  const unpacked = (row) => {
    const written = document.getElementById(row.anchor);
    if (written) return [...written.children].slice(1).map((child) => child.cloneNode(true));
    const nothing = row.state === "right" ? "Right; nothing to show." : "The details of this case are only in report.json.";
    return [element("p", { class: "nothing" }, nothing)];
  };

  const toggle = (button, row, tr) => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) {
      tr.nextElementSibling.remove();
      return;
    }
    const shown = row.view ? viewOf(row.view) : unpacked(row);
    const cell = element("td", { colspan: "5" }, ...(row.note ? [element("p", { class: "under" }, row.note)] : []), ...shown);
    tr.after(element("tr", { class: "body", id: `${row.anchor}-body` }, cell));
  };

  const drawn = (row) => {
    const controls = { type: "button", class: "open", "aria-expanded": "false", "aria-controls": `${row.anchor}-body` };
    const button = element("button", { ...controls, "data-case": row.anchor }, row.id || "(no name)");
    const pills = [pill(row.state), ...(row.change ? [" ", pill(row.change)] : [])];
    const tr = element(
      "tr",
      {},
      element("th", { scope: "row" }, button),
      element("td", {}, row.of),
      element("td", {}, ...pills),
      element("td", { class: "n" }, row.score.toFixed(4)),
      element("td", { class: "gist" }, gistOf(row)),
    );
    button.addEventListener("click", () => toggle(button, row, tr));
    return tr;
  };

  const draw = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    body.replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map(drawn));
    where.textContent = `page ${page + 1} of ${pages}`;
    back.disabled = page === 0;
    onward.disabled = page === pages - 1;
  };

  const filter = () => {
    const words = folded(text.value);
    found = rows.filter(
      (row) =>
        (!subject.value || row.of === subject.value) &&
        (!state.value || row.state === state.value || row.change === state.value) &&
        (!words || searched(row).includes(words)),
    );
    page = 0;
    count.textContent = `${found.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
    draw();
  };

  const openWritten = (anchor) => {
    const written = [...still.querySelectorAll("details.case")].find((one) => one.id === anchor);
    if (!written) return;
    still.hidden = false;
    written.open = true;
    written.scrollIntoView({ block: "center" });
    written.firstElementChild.focus({ preventScroll: true });
  };

  const linkNames = () => {
    const anchors = new Set(rows.map((row) => row.anchor));
    for (const name of document.querySelectorAll("span[data-case]")) {
      const anchor = name.dataset.case;
      if (anchors.has(anchor)) name.replaceWith(element("a", { href: `#${anchor}` }, ...name.childNodes));
    }
  };

  const openNamed = () => {
    const anchor = location.hash.slice(1);
    const row = rows.find((one) => one.anchor === anchor);
    if (!row) {
      openWritten(anchor);
      return;
    }
    if (!found.includes(row)) {
      text.value = subject.value = state.value = "";
      filter();
    }
    page = Math.floor(found.indexOf(row) / PAGE);
    draw();
    const button = body.querySelector(`[data-case="${anchor}"]`);
    button.click();
    button.focus({ preventScroll: true });
    button.scrollIntoView({ block: "center" });
  };

  for (const control of [text, subject, state]) control.addEventListener("input", filter);
  back.addEventListener("click", () => { page -= 1; draw(); });
  onward.addEventListener("click", () => { page += 1; draw(); });
  const choices = [labelled("text", text, true), labelled("subject", subject), labelled("state", state)];
  explorer.append(
    element("h3", {}, "All cases"),
    element("div", { class: "filters" }, ...choices),
    count,
    element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "All cases" }, table),
    element("div", { class: "pager" }, back, where, onward),
  );
  if (rows.some((row) => row.state === "wrong")) state.value = "wrong";
  filter();
  explorer.hidden = false;
  still.hidden = true;
  linkNames();
  addEventListener("hashchange", openNamed);
  openNamed();

  const printed = () => document.querySelectorAll("details.printed");
  addEventListener("beforeprint", () => printed().forEach((one) => { one.open = true; }));
  addEventListener("afterprint", () => printed().forEach((one) => { one.open = false; }));
})();
