// The robustness report.
(function () {
  const data = embedded();
  const ROWS = 40;
  const MINUS = "\u2212";
  const BANDS = ["high", "medium", "low"]; // HAL's names; the reader is told the sensitivity
  const SENSITIVITY = { high: "low", medium: "medium", low: "high" };
  const FLAGS = ["ambiguous options", "unanswerable options"];
  const state = { agent: 0, kind: "", band: "", show: "all", find: "", sort: "variance", down: true };

  const fixed = (value, digits) => (value === null || value === undefined ? "—" : value.toFixed(digits));
  const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

  // ---- the data: columns with one entry an item, or one value where all are the same; see webpage.py

  const at = (column, place) => (Array.isArray(column) ? column[place] : column.all);
  const inGrid = (grid, column, row) => (Array.isArray(grid) ? at(grid[column], row) : grid.all);
  const text = (number) => (number < data.strings.length ? data.strings[number] : undefined);

  const item = (agent, row) => {
    const { items } = agent;
    const [mean, gap, missing] = [items.mean[row], items.gap[row], at(items.missing, row)];
    return {
      row, place: items.item[row], id: text(data.tasks[agent.task].items[items.item[row]]),
      wordings: at(items.wordings, row), mean, gap, variance: items.variance[row], s_task: items.s_task[row],
      band: BANDS[at(items.band, row)] || null, uninformative: gap === 0 && (mean <= 0 || mean >= 1),
      rows: at(items.rows, row), missing: missing < 0 ? null : missing, flag: FLAGS[at(items.audit, row)] || "",
    };
  };
  data.agents.forEach((agent) => { agent.list = agent.items.item.map((_, row) => item(agent, row)); });
  const chosenAgent = () => data.agents[state.agent];
  const variantsOf = (agent) => data.tasks[agent.task].variants;

  // What one cell stands for; texts as numbers, since they may not be here yet.
  function cell(agent, row, column) {
    const status = inGrid(agent.cells.status, column, row);
    if (status < 0) return null;
    const score = agent.cells.score[column][row];
    return { score: score === undefined ? null : score, n: inGrid(agent.cells.n, column, row), status: text(status), answer: inGrid(agent.cells.answer, column, row), log: inGrid(agent.cells.log, column, row) };
  }

  // ---- texts that are in files beside the page

  const files = data.beside.map(() => null); // for each, once it is asked for: a promise of its texts
  const arrived = [];
  window.otherwordsTexts = (file, texts) => { arrived[file] = texts; };

  function load(file) {
    files[file] = files[file] || new Promise((done, fail) => {
      const name = `texts-${file + 1}.js`;
      const script = el("script", { src: name });
      script.onload = () => done(arrived[file]);
      script.onerror = () => { files[file] = null; fail(new Error(`It is in ${name}, which should be beside this page and could not be opened.`)); };
      document.head.append(script);
    });
    return files[file];
  }

  async function fetched(number) {
    if (number === undefined || number === null || number < 0) return null;
    if (number < data.strings.length) return data.strings[number];
    const file = data.beside.findLastIndex((start) => start <= number);
    return (await load(file))[number - data.beside[file]];
  }

  function shade(score) {
    if (score === null) return "none";
    if (score <= 0) return "s0";
    if (score >= 1) return "s4";
    return score < 0.35 ? "s1" : score > 0.65 ? "s3" : "s2";
  }
  const brief = (score) => (score === null ? "–" : String(Math.round(score * 100) / 100).replace(/^0\./, "."));

  // ---- which items and wordings are shown

  // The original, and the wordings of the chosen kind.
  function columns(agent) {
    return variantsOf(agent).map((variant, j) => [variant, j])
      .filter(([variant]) => !state.kind || variant[1] === state.kind || variant[0] === "orig").map(([, j]) => j);
  }

  function differs(agent, it) {
    if (!state.kind) return it.gap > 0;
    const scores = columns(agent).map((j) => agent.cells.score[j][it.row]).filter((score) => score !== null);
    return new Set(scores).size > 1;
  }

  function chosen() {
    const agent = chosenAgent();
    const find = state.find.toLowerCase();
    const fits = {
      all: () => true, differ: (it) => differs(agent, it), uninformative: (it) => it.uninformative, missing: (it) => it.missing > 0,
    }[state.show];
    return agent.list.filter((it) => fits(it) && (!state.band || it.band === state.band) && (!find || it.id.toLowerCase().includes(find)));
  }

  // Rows are drawn as they are scrolled to, or asked for with the button under them.
  function fill(name, items, head, row, attributes, empty) {
    const box = byId(name);
    const button = byId(`${name}-more`);
    const body = el("tbody");
    let shown = 0;
    function more() {
      body.append(...items.slice(shown, shown + ROWS).map((it, i) => row(it, shown + i)));
      shown = Math.min(items.length, shown + ROWS);
      const rest = items.length - shown;
      button.hidden = rest <= 0;
      button.textContent = `Show ${Math.min(ROWS, rest)} more of ${rest.toLocaleString("en")}`;
      box.toggleAttribute("data-rest", rest > 0);
      if (rest > 0) box.dataset.rest = `${rest} more of ${items.length} items were not drawn when this was printed.`;
    }
    box.replaceChildren(items.length || !empty ? el("table", attributes, el("thead", null, head), body) : empty);
    box.scrollTop = 0;
    button.onclick = more;
    box.onscroll = () => { if (shown < items.length && box.scrollTop + box.clientHeight > box.scrollHeight - 600) more(); };
    more();
    return () => shown;
  }

  let heatShown = () => 0;

  function heat(items) {
    const agent = chosenAgent();
    const variants = variantsOf(agent);
    const across = columns(agent);
    const head = el("tr", null, el("th", { scope: "col", text: "Item" }),
      ...across.map((j) => el("th", { scope: "col", title: variants[j].filter(Boolean).join(" · ") }, el("span", { text: variants[j][0] }))),
      el("th", { scope: "col", class: "var", text: "Variance" }));
    const row = (it, i) => el("tr", null,
      el("th", { scope: "row" }, el("span", { class: "id", title: it.id, text: it.id })),
      ...across.map((j, place_) => {
        const one = cell(agent, it.row, j);
        const score = one ? one.score : null;
        const label = `${it.id}, ${variants[j][0]}: ${score === null ? `no score${one ? `, ${one.status}` : ""}` : `score ${brief(score)}, ${plural(one.n, "run")}`}`;
        return el("td", null, el("button", {
          type: "button", class: shade(score), tabindex: i + place_ ? "-1" : "0", "data-row": i, "data-column": place_, text: brief(score),
          "aria-label": label, title: label, on: { click: () => open(agent, it, j) },
        }));
      }),
      el("td", { class: "var", text: it.uninformative ? `${fixed(it.variance, 3)} · uninformative` : fixed(it.variance, 3) }));
    const attributes = { class: "heat", "aria-label": `Scores of ${agent.name} by item and wording; arrow keys move between cells` };
    heatShown = fill("heat", items, head, row, attributes, el("p", { class: "empty", text: "No item fits this selection." }));
    byId("heat").onkeydown = walk;
  }

  function walk(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const from = event.target.closest("button");
    if (!step || !from) return;
    const [row, column] = [Number(from.dataset.row) + step[0], Number(from.dataset.column) + step[1]];
    const to = event.currentTarget.querySelector(`button[data-row="${row}"][data-column="${column}"]`);
    if (!to) return;
    event.preventDefault();
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  const COLUMNS = [
    ["id", "Item"], ["mean", "Mean score"], ["variance", "Variance"], ["s_task", "S_task"], ["gap", "Min-max gap"],
    ["band", "Sensitivity"], ["wordings", "Wordings"], ["missing", "Runs without a score"], ["uninformative", "Remark"],
  ];
  const remark = (it) => [it.uninformative ? `uninformative: always ${it.mean > 0 ? "right" : "wrong"}` : "", it.flag].filter(Boolean).join("; ");

  function sorted(items) {
    const value = (it) => (state.sort === "band" ? BANDS.indexOf(it.band) : state.sort === "uninformative" ? Number(it.uninformative) : it[state.sort]);
    const sign = state.down ? -1 : 1;
    const order = new Intl.Collator("en", { numeric: true });
    return [...items].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === y) return 0;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return sign * (typeof x === "string" ? order.compare(x, y) : x - y);
    });
  }

  function table(items) {
    const head = el("tr", null, ...COLUMNS.map(([name, title]) => el("th", {
      scope: "col", class: name === "uninformative" ? "text" : null,
      "aria-sort": state.sort === name ? (state.down ? "descending" : "ascending") : null,
    }, el("button", { type: "button", text: title, "data-sort": name, on: { click: () => {
      state.down = state.sort === name ? !state.down : name !== "id";
      state.sort = name;
      table(chosen());
      document.querySelector(`[data-sort="${name}"]`).focus();
    } } }))));
    const row = (it) => el("tr", null,
      el("th", { scope: "row" }, el("span", { class: "id", title: it.id, text: it.id })),
      el("td", { text: fixed(it.mean, 2) }), el("td", { text: fixed(it.variance, 3) }), el("td", { text: fixed(it.s_task, 3) }),
      el("td", { text: fixed(it.gap, 2) }), el("td", { text: SENSITIVITY[it.band] || "—" }), el("td", { text: it.wordings }),
      el("td", { text: it.missing === null ? "—" : `${it.missing} of ${it.rows}` }),
      el("td", { class: "text", text: remark(it) }));
    fill("table", sorted(items), head, row, null, null);
  }

  // ---- one cell, in full

  async function open(agent, it, column) {
    const task = data.tasks[agent.task];
    const [name, kind, change] = task.variants[column];
    const one = cell(agent, it.row, column);
    const score = one ? one.score : null;
    const dialog = byId("cell");
    const top = [
      el("div", { class: "top" }, el("h2", { id: "cell-title", text: `${it.id} · ${name}` }),
        el("button", { type: "button", class: "close", text: "Close", on: { click: () => dialog.close() } })),
      el("p", null, el("span", { class: `badge ${shade(score)}`, text: score === null ? "no score" : `score ${fixed(score, 2)}` }),
        el("span", { class: "quiet", text: [agent.name, kind, change, one ? `${one.n} scored, status: ${one.status}` : "not run"].filter(Boolean).join(" · ") })),
    ];
    dialog.replaceChildren(...top);
    dialog.showModal();
    const full = () => texts(agent, it, column, one);
    dialog.append(...(data.public ? [el("p", { class: "quiet", text: "This report was made to be public: what was asked and answered is not in it." })]
      : await full().catch((error) => [el("p", { class: "caution", text: `The text of this item is not here. ${error.message}` })])));
    dialog.scrollTop = 0;
  }

  async function texts(agent, it, column, one) {
    const task = data.tasks[agent.task];
    const asked = async (grid, j) => fetched(inGrid(task[grid], j, it.place));
    const options = async (j) => Promise.all((task.lists[inGrid(task.options, j, it.place)] || []).map(fetched));
    const original = task.variants.findIndex((variant) => variant[0] === "orig");
    const [wording, choices, target, answer] = await Promise.all([asked("prompt", column), options(column), asked("target", column), fetched(one ? one.answer : -1)]);
    const first = original < 0 ? null : await asked("prompt", original);
    const parts = [];
    if (wording !== null) {
      const heading = column === original ? "The original wording" : first === wording ? "Wording: the same text as the original" : "Wording, with its changes against the original";
      parts.push(el("h3", { text: heading }), el("div", { class: "said" }, ...diffNodes(first === null ? wording : first, wording)));
      if (choices.length) {
        const before = original < 0 ? choices : await options(original);
        const moved = JSON.stringify(before) !== JSON.stringify(choices);
        parts.push(el("h3", { text: moved ? "Options, in the order shown (not the original's)" : "Options" }));
        parts.push(el("ol", { class: "choices" }, ...choices.map((choice) => el("li", { text: choice }))));
      }
    } else parts.push(el("p", { class: "quiet", text: "The wording was not recorded." }));
    parts.push(el("div", { class: "pair" },
      el("div", null, el("h3", { text: "Answer" }), el("div", { class: "said", text: answer === null ? "none recorded" : answer })),
      el("div", null, el("h3", { text: "Target" }), el("div", { class: "said", text: target === null ? "known to the scorer only" : target }))));
    const log = await fetched(one ? one.log : -1);
    if (log !== null) parts.push(el("h3", { text: "Log" }), el("p", { class: "quiet log", text: log }));
    return parts;
  }

  // ---- kinds

  function points(value) {
    const size = Math.abs(100 * value).toFixed(1);
    return value < 0 && Number(size) > 0 ? `${MINUS}${size}` : size;
  }
  const kindName = (kind) => [kind.kind, kind.change].filter(Boolean).join(" · ");
  const known = (kind) => kind.delta !== null;
  const sure = (kind) => kind.delta_low !== null && kind.delta_high !== null;
  const shownKinds = () => chosenAgent().kinds.filter((kind) => !state.kind || kind.kind === state.kind);
  const reachOf = (list) => Math.max(0.05, ...list.filter(known).flatMap((kind) => [kind.delta, kind.delta_low, kind.delta_high].filter((n) => n !== null).map(Math.abs)));
  const costText = (kind) => (known(kind) ? `${points(kind.delta)} points lost${sure(kind) ? ` (${points(kind.delta_low)} to ${points(kind.delta_high)})` : ""}` : "not computed");

  function kinds() {
    const list = shownKinds();
    const reach = reachOf(list);
    const along = (value) => 0.5 + value / (2 * reach);
    const rows = list.map((kind) => {
      const track = el("div", { class: "track", role: "img", "aria-label": `${kindName(kind)}: ${costText(kind)}` }, place(el("div", { class: "zero" }), 0.5));
      if (known(kind)) {
        if (sure(kind)) track.append(place(el("div", { class: "range" }), along(kind.delta_low), along(kind.delta_high)));
        track.append(place(el("div", { class: "dot" }), along(kind.delta)));
      }
      const said = `accuracy ${kind.accuracy === null ? "—" : `${Math.round(100 * kind.accuracy)}%`}, ${plural(kind.n, "item")}`;
      return el("div", { class: sure(kind) && kind.delta_low > 0 ? "kind costs" : "kind" },
        el("div", { class: "label" }, el("div", { text: kindName(kind) }), el("div", { class: "quiet", text: said })),
        track, el("div", { class: "value", text: costText(kind) }));
    });
    byId("kinds").replaceChildren(el("h3", { text: chosenAgent().name }), ...(rows.length ? rows : [el("p", { class: "quiet", text: "No variant has a score." })]));
  }

  // ---- drawings and tables to take away

  const MOST_DRAWN = 400;

  function heatSheet() {
    const agent = chosenAgent();
    const [variants, across] = [variantsOf(agent), columns(agent)];
    const items = chosen();
    const drawn = items.slice(0, Math.min(heatShown(), MOST_DRAWN));
    const [step, wide] = [24, 54];
    const left = 40 + 7 * Math.max(6, ...drawn.map((it) => Math.min(34, it.id.length)));
    const lines = [`${data.title} · ${agent.name}`, `Mean score of each item under each wording; ${drawn.length} of ${items.length} chosen items. n: ${agent.size}.`];
    return sheet(Math.max(720, left + wide * across.length + 110), 200 + step * drawn.length, "Items by wording", lines, (add) => {
      across.forEach((j, i) => add("text", { x: 0, y: 0, transform: `translate(${left + wide * i + wide / 2 + 4} 176) rotate(-40)`, "font-size": 11, fill: PRINT.quiet }, shorter(variants[j][0], 20)));
      drawn.forEach((it, i) => {
        const y = 184 + step * i;
        add("text", { x: left - 10, y: y + 15, "font-size": 12, "text-anchor": "end", fill: PRINT.ink }, shorter(it.id, 34));
        across.forEach((j, k) => {
          const one = cell(agent, it.row, j);
          const [fill, ink] = PRINT[shade(one ? one.score : null)];
          add("rect", { x: left + wide * k, y, width: wide - 3, height: step - 3, rx: 3, fill });
          add("text", { x: left + wide * k + (wide - 3) / 2, y: y + 15, "font-size": 11, "text-anchor": "middle", fill: ink }, brief(one ? one.score : null));
        });
        add("text", { x: left + wide * across.length + 8, y: y + 15, "font-size": 11, fill: PRINT.quiet }, `variance ${fixed(it.variance, 3)}`);
      });
    });
  }

  function heatTable() {
    const agent = chosenAgent();
    const across = columns(agent);
    const scores = (it) => across.map((j) => { const one = cell(agent, it.row, j); return one ? one.score : null; });
    return csvText([["agent", "item", "variance", ...across.map((j) => variantsOf(agent)[j][0])],
      ...chosen().map((it) => [agent.model, it.id, it.variance, ...scores(it)])]);
  }

  function kindsSheet() {
    const list = shownKinds();
    const reach = reachOf(list);
    const [left, width, step] = [280, 420, 34];
    const along = (value) => left + width * (0.5 + value / (2 * reach));
    const agent = chosenAgent();
    const lines = [`${data.title} · ${agent.name}`, `Points of accuracy lost against the original, same items; lines are ${100 * data.level}% intervals. n: ${agent.size}.`];
    return sheet(left + width + 230, 130 + step * list.length, "What each kind of change costs", lines, (add) => {
      add("line", { x1: along(0), x2: along(0), y1: 96, y2: 106 + step * list.length, stroke: PRINT.quiet, "stroke-width": 1.5 });
      list.forEach((kind, i) => {
        const y = 112 + step * i;
        const paint = sure(kind) && kind.delta_low > 0 ? PRINT.s0[0] : PRINT.s4[0];
        add("text", { x: left - 12, y: y + 4, "font-size": 12, "text-anchor": "end", fill: PRINT.ink }, `${shorter(kindName(kind), 36)} (n ${kind.n})`);
        if (sure(kind)) add("line", { x1: along(kind.delta_low), x2: along(kind.delta_high), y1: y, y2: y, stroke: paint, "stroke-width": 4, opacity: 0.5 });
        if (known(kind)) add("circle", { cx: along(kind.delta), cy: y, r: 5, fill: paint });
        add("text", { x: left + width + 16, y: y + 4, "font-size": 12, fill: PRINT.ink }, costText(kind));
      });
    });
  }

  const kindsTable = () => csvText([["agent", "kind", "change", "accuracy", "delta", "delta_low", "delta_high", "q", "n_items"],
    ...shownKinds().map((kind) => [chosenAgent().model, kind.kind, kind.change, kind.accuracy, kind.delta, kind.delta_low, kind.delta_high, kind.q, kind.n])]);

  const itemTable = () => csvText([["agent", ...COLUMNS.map(([name]) => name)],
    ...sorted(chosen()).map((it) => [chosenAgent().model, it.id, it.mean, it.variance, it.s_task, it.gap, it.band, it.wordings, it.missing, remark(it)])]);

  // ---- all of it

  function drawItems() {
    const items = chosen();
    byId("found").textContent = `${items.length.toLocaleString("en")} of ${plural(chosenAgent().list.length, "item")}`;
    heat(items);
    table(items);
  }

  function kindChoices() {
    const names = [...new Set(variantsOf(chosenAgent()).map((variant) => variant[1]))].filter((name) => name && name !== "orig");
    if (!names.includes(state.kind)) state.kind = "";
    byId("kind").replaceChildren(el("option", { value: "", text: "all kinds" }), ...names.map((name) => el("option", { value: name, text: name })));
    byId("kind").value = state.kind;
    byId("kind").parentElement.hidden = names.length === 0;
  }

  function changed(name) {
    return (event) => {
      state[name] = name === "agent" ? Number(event.target.value) : event.target.value;
      if (name === "agent") kindChoices();
      drawItems();
      if (name === "agent" || name === "kind") kinds();
    };
  }

  byId("notes").replaceChildren(...data.notes.map((note) => el("li", { text: note })));
  byId("ranking").replaceChildren(...data.ranking.map((line) => el("p", { class: "lead", text: line })));
  byId("verdicts").replaceChildren(...data.agents.map(verdictCard));
  audited(data);
  byId("agent").replaceChildren(...data.agents.map((agent, i) => el("option", { value: i, text: agent.name })));
  byId("alone").textContent = data.beside.length ? `The texts of the less sensitive items are in ${plural(data.beside.length, "file")} beside it, texts-1.js and on; keep them together. Nothing is asked of the network.`
    : "This file is complete by itself and asks nothing of the network.";
  ["agent", "kind", "band", "show"].forEach((name) => byId(name).addEventListener("change", changed(name)));
  byId("find").addEventListener("input", changed("find"));
  kindChoices();
  drawItems();
  kinds();
  leftOut(data);
  reading(data);
  offer(byId("heat-save"), "items_by_wording", { svg: heatSheet, csv: heatTable });
  offer(byId("kinds-save"), "change_costs", { svg: kindsSheet, csv: kindsTable });
  offer(byId("table-save"), "items", { svg: null, csv: itemTable });
  document.querySelectorAll("figure[data-figure]").forEach((figure) => {
    const name = figure.dataset.figure;
    offer(figure.querySelector(".save"), name, { svg: () => figure.querySelector("svg"), csv: () => data.figures[name] });
  });
})();
