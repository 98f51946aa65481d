// The robustness report.
(function () {
  const data = embedded();
  const ROWS = 40;
  const LOWEST = 0.5; // S_prompt with two wordings, one always right and one always wrong: nothing is lower
  const MINUS = "\u2212";
  const text = (place) => (place === null || place === undefined ? null : data.strings[place]);
  const state = { agent: 0, show: "all", find: "", sort: "variance", down: true, heatRows: ROWS, tableRows: ROWS };

  const fixed = (value, digits) => (value === null || value === undefined ? "—" : value.toFixed(digits));
  const within = (value) => Math.min(1, Math.max(0, value));
  const percent = (value) => `${100 * within(value)}%`;

  // An item as the page's tables carry it: see _items in webpage.py.
  const item = (row) => ({
    id: text(row[0]), place: row[0], wordings: row[1], mean: row[2], variance: row[3], s_task: row[4], gap: row[5],
    band: row[6], uninformative: row[7] === 1, rows: row[8], missing: row[9], cells: row[10],
  });
  const cell = (raw) => raw && { score: raw[0], n: raw[1], status: text(raw[2]), answer: text(raw[3]), log: text(raw[4]) };
  data.agents.forEach((agent) => { agent.items = agent.items.map(item); });

  function shade(score) {
    if (score === null) return "none";
    if (score <= 0) return "s0";
    if (score >= 1) return "s4";
    return score < 0.35 ? "s1" : score > 0.65 ? "s3" : "s2";
  }
  const brief = (score) => (score === null ? "–" : String(Math.round(score * 100) / 100).replace(/^0\./, "."));

  // ---- verdicts

  function place(node, from, to) {
    node.style.left = percent(from);
    if (to !== undefined) node.style.width = `${100 * Math.max(0, within(to) - within(from))}%`;
    return node;
  }

  function measure(estimate, options) {
    const { floor = null, ticks = [], ends = ["0%", "100%"], start = 0 } = options;
    const at = (value) => (value - start) / (1 - start);
    const track = el("div", { class: "track", role: "img", "aria-label": `${estimate.title} ${estimate.text}` });
    const scale = el("div", { class: "scale", "aria-hidden": "true" },
      el("span", { class: "first", text: ends[0] }), place(el("span", { class: "last", text: ends[1] }), 1));
    if (floor !== null && at(floor) > 0.1) {
      track.append(place(el("div", { class: "floor" }), 0, at(floor)));
      scale.append(place(el("span", { text: `floor ${floor.toFixed(2)}` }), at(floor)));
    }
    ticks.forEach((tick) => {
      track.append(place(el("div", { class: "tick" }), at(tick)));
      if (floor === null || Math.abs(tick - floor) > 0.09) scale.append(place(el("span", { text: String(tick) }), at(tick)));
    });
    if (estimate.value !== null) {
      if (estimate.low !== null && estimate.high !== null) {
        track.append(place(el("div", { class: "range" }), at(estimate.low), at(estimate.high)));
      }
      track.append(place(el("div", { class: "dot" }), at(estimate.value)));
    }
    return el("div", { class: "measure" },
      el("div", { class: "name" }, el("span", { text: estimate.title }), el("b", { text: estimate.text })), track, scale);
  }

  function luck(agent) {
    const { phrasing, noise, phrasing_share: share } = agent.estimates;
    if (!phrasing || !noise || phrasing.value === null || noise.value === null) return null;
    const parts = [Math.max(0, phrasing.value), Math.max(0, noise.value)];
    const whole = parts[0] + parts[1] || 1;
    const said = `Phrasing ${phrasing.text}, luck ${noise.text}`;
    const bar = el("div", { class: "split", role: "img", "aria-label": said });
    ["phrasing", "luck"].forEach((name, i) => {
      const part = el("div", { class: name });
      part.style.width = `${(100 * parts[i]) / whole}%`;
      bar.append(part);
    });
    return el("div", { class: "measure" },
      el("div", { class: "name" }, el("span", { text: "Variance: phrasing against luck" }), el("b", { text: share ? share.text : "" })),
      bar, el("p", { class: "quiet", text: said }));
  }

  function estimateTable(agent) {
    const rows = Object.values(agent.estimates).map((estimate) => el("tr", null,
      el("th", { scope: "row", text: estimate.title }), el("td", { text: estimate.text }), el("td", { text: estimate.n }),
      el("td", { text: estimate.missing }), el("td", { class: "text", text: estimate.reason })));
    const head = ["Measure", "Value", "Items", "Rows left out", "Remark"].map((name, i) =>
      el("th", { scope: "col", class: i === 4 ? "text" : null, text: name }));
    return el("details", null, el("summary", { text: "All measures" }),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `All measures of ${agent.name}` },
        el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...rows))));
  }

  function verdictCard(agent) {
    const { accuracy, s_prompt: steady } = agent.estimates;
    const tracks = el("div", { class: "tracks" });
    if (accuracy) tracks.append(measure(accuracy, {}));
    if (accuracy && steady) tracks.append(measure(steady, {
      floor: agent.floor, ticks: [0.7, 0.9], start: LOWEST,
      ends: [agent.floor === LOWEST ? "floor 0.50" : LOWEST.toFixed(2), "1"],
    }));
    const split = luck(agent);
    if (split) tracks.append(split);
    const facts = el("dl", { class: "facts" });
    ["s_norm", "consistency_at_k", "fragility_score", "delta_accuracy", "format_failure_rate"].forEach((name) => {
      const estimate = agent.estimates[name];
      if (estimate) facts.append(el("div", null, el("dt", { text: estimate.title }), el("dd", { text: estimate.text })));
    });
    return el("article", { class: "card" },
      el("h3", { text: agent.name }),
      el("p", { class: "headline", text: agent.headline }), el("p", { class: "numbers", text: agent.numbers }),
      tracks, facts,
      el("ul", { class: "cautions" }, ...agent.cautions.map((caution) => el("li", { text: caution }))),
      el("p", { class: "quiet", text: `n: ${agent.size}` }), estimateTable(agent));
  }

  // ---- items

  function chosen() {
    const find = state.find.toLowerCase();
    const fits = {
      all: () => true, differ: (it) => it.gap > 0, uninformative: (it) => it.uninformative, missing: (it) => it.missing > 0,
    }[state.show] || ((it) => it.band === state.show);
    return data.agents[state.agent].items.filter((it) => fits(it) && (!find || it.id.toLowerCase().includes(find)));
  }

  function fill(id, node, moreId, total, shown, more) {
    const rest = total - shown;
    byId(id).replaceChildren(node);
    byId(id).toggleAttribute("data-rest", rest > 0);
    if (rest > 0) byId(id).dataset.rest = `${rest} more of ${total} items were not drawn when this was printed.`;
    const button = byId(moreId);
    button.hidden = rest <= 0;
    button.textContent = `Show ${Math.min(ROWS, rest)} more of ${rest}`;
    button.onclick = more;
  }

  function heat(items) {
    const agent = data.agents[state.agent];
    const variants = data.variants[agent.task];
    const shown = items.slice(0, state.heatRows);
    const head = el("tr", null, el("th", { scope: "col", text: "Item" }),
      ...variants.map((variant) => el("th", { scope: "col", title: variant.filter(Boolean).join(" · ") }, el("span", { text: variant[0] }))),
      el("th", { scope: "col", class: "var", text: "Variance" }));
    const rows = shown.map((it, i) => el("tr", null,
      el("th", { scope: "row" }, el("span", { class: "id", title: it.id, text: it.id })),
      ...variants.map((variant, j) => {
        const one = cell(it.cells[j]);
        const score = one ? one.score : null;
        const label = `${it.id}, ${variant[0]}: ${score === null ? `no score${one ? `, ${one.status}` : ""}` : `score ${brief(score)}, ${one.n} run${one.n === 1 ? "" : "s"}`}`;
        return el("td", null, el("button", {
          type: "button", class: shade(score), tabindex: i + j ? "-1" : "0", "data-row": i, "data-column": j, text: brief(score),
          "aria-label": label, title: label, on: { click: () => open(agent, it, j) },
        }));
      }),
      el("td", { class: "var", text: it.uninformative ? `${fixed(it.variance, 3)} · uninformative` : fixed(it.variance, 3) })));
    const table = el("table", { class: "heat", "aria-label": `Scores of ${agent.name} by item and wording; arrow keys move between squares` },
      el("thead", null, head), el("tbody", null, ...rows));
    table.addEventListener("keydown", walk);
    fill("heat", shown.length ? table : el("p", { class: "empty", text: "No item fits this selection." }), "heat-more",
      items.length, shown.length, () => { state.heatRows += ROWS; heat(chosen()); });
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
    ["band", "Band"], ["wordings", "Wordings"], ["missing", "Rows left out"], ["uninformative", "Remark"],
  ];
  const RANK = { high: 3, medium: 2, low: 1 };

  function sorted(items) {
    const value = (it) => (state.sort === "band" ? RANK[it.band] : state.sort === "uninformative" ? Number(it.uninformative) : it[state.sort]);
    const sign = state.down ? -1 : 1;
    return [...items].sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === y) return 0;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return sign * (typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y);
    });
  }

  function table(items) {
    const shown = sorted(items).slice(0, state.tableRows);
    const head = COLUMNS.map(([name, title]) => el("th", {
      scope: "col", class: name === "uninformative" ? "text" : null,
      "aria-sort": state.sort === name ? (state.down ? "descending" : "ascending") : null,
    }, el("button", { type: "button", text: title, "data-sort": name, on: { click: () => {
      state.down = state.sort === name ? !state.down : name !== "id";
      state.sort = name;
      table(chosen());
      document.querySelector(`[data-sort="${name}"]`).focus();
    } } })));
    const rows = shown.map((it) => el("tr", null,
      el("th", { scope: "row" }, el("span", { class: "id", title: it.id, text: it.id })),
      el("td", { text: fixed(it.mean, 2) }), el("td", { text: fixed(it.variance, 3) }), el("td", { text: fixed(it.s_task, 3) }),
      el("td", { text: fixed(it.gap, 2) }), el("td", { text: it.band || "—" }), el("td", { text: it.wordings }),
      el("td", { text: it.missing === null ? "—" : `${it.missing} of ${it.rows}` }),
      el("td", { class: "text", text: it.uninformative ? `uninformative: all ${it.mean > 0 ? "right" : "wrong"}` : "" })));
    fill("table", el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...rows)), "table-more",
      items.length, shown.length, () => { state.tableRows += ROWS; table(chosen()); });
  }

  // ---- one cell, in full

  function wordingBlock(original, wording) {
    return el("div", { class: "said" }, ...diffNodes(original === null ? wording : original, wording));
  }

  function open(agent, it, column) {
    const variants = data.variants[agent.task];
    const [name, kind, change] = variants[column];
    const asked = data.wordings[`${agent.task}:${it.place}`] || [];
    const wording = asked[column] || null;
    const first = variants[0][0] === "orig" ? asked[0] || null : null;
    const one = cell(it.cells[column]);
    const score = one ? one.score : null;
    const parts = [
      el("div", { class: "top" }, el("h2", { id: "cell-title", text: `${it.id} · ${name}` }),
        el("button", { type: "button", class: "close", text: "Close", on: { click: () => byId("cell").close() } })),
      el("p", null, el("span", { class: `badge ${shade(score)}`, text: score === null ? "no score" : `score ${fixed(score, 2)}` }),
        el("span", { class: "quiet", text: [agent.name, kind, change, one ? `${one.n} scored, status: ${one.status}` : "not run"].filter(Boolean).join(" · ") })),
    ];
    if (wording && wording[0] !== null) {
      const same = first && text(first[0]) === text(wording[0]);
      parts.push(el("h3", { text: column === 0 && first ? "The original wording" : same ? "Wording: the same text as the original" : "Wording, with its changes against the original" }));
      parts.push(wordingBlock(first ? text(first[0]) : null, text(wording[0])));
      if (wording[1].length) {
        const moved = first && JSON.stringify(first[1]) !== JSON.stringify(wording[1]);
        parts.push(el("h3", { text: moved ? "Options, in the order shown (not the original's)" : "Options" }));
        parts.push(el("ol", { class: "choices" }, ...wording[1].map((choice) => el("li", { text: text(choice) }))));
      }
    } else {
      parts.push(el("p", { class: "quiet", text: data.wordings_left_out ? "The page had no room for this item's text." : "The wording was not recorded." }));
    }
    const target = wording ? text(wording[2]) : null;
    parts.push(el("div", { class: "pair" },
      el("div", null, el("h3", { text: "Answer" }), el("div", { class: "said", text: one && one.answer !== null ? one.answer : "none recorded" })),
      el("div", null, el("h3", { text: "Target" }), el("div", { class: "said", text: target === null ? "known to the scorer only" : target }))));
    if (one && one.log) parts.push(el("h3", { text: "Log" }), el("p", { class: "quiet", text: one.log }));
    const dialog = byId("cell");
    dialog.replaceChildren(...parts);
    dialog.showModal();
    dialog.scrollTop = 0;
  }

  // ---- kinds, what was left out, how to read

  function points(value) {
    const size = Math.abs(100 * value).toFixed(1);
    return value < 0 && Number(size) > 0 ? `${MINUS}${size}` : size;
  }

  function kinds() {
    const agent = data.agents[state.agent];
    const known = agent.kinds.filter((kind) => kind.delta !== null);
    const reach = Math.max(0.05, ...known.flatMap((kind) => [kind.delta, kind.delta_low, kind.delta_high].filter((n) => n !== null).map(Math.abs)));
    const at = (value) => 0.5 + value / (2 * reach);
    const rows = agent.kinds.map((kind) => {
      const label = [kind.kind, kind.change].filter(Boolean).join(" · ");
      const sure = kind.delta_low !== null && kind.delta_high !== null;
      const said = kind.delta === null ? "not computed"
        : `${points(kind.delta)} points lost${sure ? ` (${points(kind.delta_low)} to ${points(kind.delta_high)})` : ""}`;
      const track = el("div", { class: "track", role: "img", "aria-label": `${label}: ${said}` }, place(el("div", { class: "zero" }), 0.5));
      if (kind.delta !== null) {
        if (sure) track.append(place(el("div", { class: "range" }), at(kind.delta_low), at(kind.delta_high)));
        track.append(place(el("div", { class: "dot" }), at(kind.delta)));
      }
      return el("div", { class: sure && kind.delta_low > 0 ? "kind costs" : "kind" },
        el("div", { class: "label" }, el("div", { text: label }),
          el("div", { class: "quiet", text: `accuracy ${kind.accuracy === null ? "—" : `${Math.round(100 * kind.accuracy)}%`}, ${kind.n} item${kind.n === 1 ? "" : "s"}` })),
        track, el("div", { class: "value", text: said }));
    });
    byId("kinds").replaceChildren(el("h3", { text: agent.name }), ...(rows.length ? rows : [el("p", { class: "quiet", text: "No variant has a score." })]));
  }

  function leftOut() {
    const names = [...new Set(data.agents.flatMap((agent) => Object.keys(agent.statuses)))];
    const head = ["Rows by status", ...names].map((name) => el("th", { scope: "col", text: name }));
    const rows = data.agents.map((agent) => el("tr", null, el("th", { scope: "row" }, el("span", { class: "id", title: agent.name, text: agent.name })),
      ...names.map((name) => el("td", { text: (agent.statuses[name] || 0).toLocaleString("en") }))));
    const parts = [el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows by status" },
      el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...rows))),
      el("p", { class: "lead", text: "Only scored rows enter a score. The others are counted here and in every measure, never taken as zero." })];
    if (data.skipped.length) {
      parts.push(el("h3", { text: data.skipped.length === 1 ? "One file could not be read" : `${data.skipped.length} files could not be read` }));
      parts.push(el("ul", null, ...data.skipped.map(([file, reason]) => el("li", { text: `${file}: ${reason}` }))));
    } else parts.push(el("p", { class: "quiet", text: "No file was skipped." }));
    if (data.wordings_left_out) parts.push(el("p", { class: "quiet", text: `The texts of ${data.wordings_left_out} of the steadiest items found no room in this page.` }));
    byId("left").replaceChildren(...parts);
  }

  function reading() {
    const lines = [
      ["S_prompt", "1 minus the mean, over items, of the variance of an item's scores over its wordings. It says how steady the scores are, not how good: always wrong is perfectly steady. Read it beside accuracy."],
      ["Floor", "With V wordings and scores from 0 to 1, S_prompt cannot fall below a floor: 0.50 for 2 wordings, 0.67 for 3 and 4, 0.70 for 5 and 6, towards 0.75 for many. The bar starts at 0.50, the lowest of all; its hatched part cannot be reached here."],
      ["S_norm", "The same on a full scale: 0 is the floor, 1 is no effect of wording."],
      ...Object.entries(data.bands).map(([band, meaning]) => [`Band: ${band}`, meaning]),
      ["Luck", "How much the score changes when the very same wording is run again. Known only with two repeats or more."],
      ["Uninformative", "Items always right or always wrong. They count in the means but cannot show what wording does."],
      ["Intervals", `${100 * data.level}% intervals, from resampling whole items. With few items they are rough.`],
    ];
    byId("reading").replaceChildren(...lines.flatMap(([name, meaning]) => [el("dt", { text: name }), el("dd", { text: meaning })]));
  }

  function drawItems() {
    const items = chosen();
    byId("found").textContent = `${items.length} of ${data.agents[state.agent].items.length} items`;
    heat(items);
    table(items);
  }

  function changed(name) {
    return (event) => {
      state[name] = name === "agent" ? Number(event.target.value) : event.target.value;
      state.heatRows = state.tableRows = ROWS;
      drawItems();
      if (name === "agent") kinds();
    };
  }

  byId("notes").replaceChildren(...data.notes.map((note) => el("li", { text: note })));
  byId("verdicts").replaceChildren(...data.agents.map(verdictCard));
  byId("agent").replaceChildren(...data.agents.map((agent, i) => el("option", { value: i, text: agent.name })));
  byId("agent").addEventListener("change", changed("agent"));
  byId("show").addEventListener("change", changed("show"));
  byId("find").addEventListener("input", changed("find"));
  drawItems();
  kinds();
  leftOut();
  reading();
})();
