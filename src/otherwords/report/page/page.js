// The report's items: which are shown, one of them in full, and all of it in the address.
(async function () {
  const ROWS = 60;
  const LONG = 420; // characters of an answer, or of an unchanged stretch of a prompt, that are shown at once
  const WHOLE = 1600; // characters of an original prompt that are shown at once
  const CHANGED = 1000; // characters of a reworded prompt with its changes, likewise
  const KEPT = 140; // of what is folded, so many characters stay at each end
  const EMPTY = { agent: "", kind: "", show: "", sort: "", q: "", item: "", different: "" };
  let data = null;
  let state = { ...EMPTY, section: "" };

  const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
  const percent = (share) => (share > 0.99 && share < 1 ? ">99%" : share > 0 && share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`);
  const brief = (score) => (score === null || score === undefined ? "–" : String(Math.round(score * 100) / 100).replace(/^0\./, "."));

  // ---- the data: columns with one entry an item, or one value where all are the same; see page_items.py

  const at = (column, place) => (Array.isArray(column) ? column[place] : column.all);
  const inGrid = (grid, row, place) => (Array.isArray(grid) ? at(grid[row], place) : grid.all);

  async function unpacked(packed) {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  // ---- texts: in packs within the page, or in files beside it

  const packs = []; // for each pack, once it is asked for: a promise of its texts
  const here = []; // for each pack that has arrived: its texts
  const arrived = {};
  window.otherwordsTexts = (pack, packed) => { arrived[pack] = packed; };

  function beside(pack) {
    return new Promise((done, fail) => {
      const name = data.packs[pack].file;
      const script = el("script", { src: name });
      script.onload = () => done(arrived[pack]);
      script.onerror = () => { packs[pack] = null; fail(new Error(`It is in ${name}, which should be beside this page and could not be opened.`)); };
      document.head.append(script);
    });
  }

  function load(pack) {
    const { packed } = data.packs[pack];
    packs[pack] = packs[pack] || (packed ? unpacked(packed) : beside(pack).then(unpacked)).then((texts) => { here[pack] = texts; return texts; });
    return packs[pack];
  }

  const packOf = (number) => data.packs.findLastIndex(({ start }) => start <= number);

  async function text(number) {
    if (number === undefined || number === null || number < 0) return null;
    const pack = packOf(number);
    return (await load(pack))[number - data.packs[pack].start];
  }

  function textHere(number) {
    if (number < 0) return "";
    const pack = packOf(number);
    return here[pack] ? here[pack][number - data.packs[pack].start] : "";
  }

  // ---- which items and wordings are shown

  const agentNow = () => data.agents.find((agent) => agent.name === state.agent) || data.agents[data.first];
  const taskOf = (agent) => data.tasks[agent.task];
  const original = (agent) => taskOf(agent).variants.indexOf("orig");
  const idOf = (agent, row) => taskOf(agent).ids[agent.items.item[row]];
  const runAt = (agent, row, repeat) => row * agent.repeats + repeat;
  const everyColumn = (agent) => taskOf(agent).variants.map((_, j) => j);
  const kindOf = (agent, row, j) => taskOf(agent).kinds[inGrid(taskOf(agent).kind, j, agent.items.item[row])] || ["", ""];

  // What each column of squares is: kind and change where all items have the same there, else what they share.
  function columnNames(agent) {
    const task = taskOf(agent);
    task.columns = task.columns || task.variants.map((variant, j) => {
      const places = Array.isArray(task.kind) && Array.isArray(task.kind[j]) ? [...new Set(task.kind[j])] : [inGrid(task.kind, j, 0)];
      const found = places.filter((place) => place >= 0).map((place) => task.kinds[place]);
      const [kinds, names] = [0, 1].map((part) => new Set(found.map((one) => one[part])));
      return names.size === 1 ? [...names][0] : kinds.size === 1 ? [...kinds][0] : variant;
    }).map((name, j, all) => (all.indexOf(name) === all.lastIndexOf(name) ? name : `${name} ${all.slice(0, j + 1).filter((other) => other === name).length}`));
    return task.columns;
  }

  // The original, and the wordings of the chosen kind (`layout`) or change of a kind (`layout: all capitals`).
  function columns(agent, row) {
    if (!state.kind) return everyColumn(agent);
    const first = original(agent);
    return everyColumn(agent).filter((j) => {
      const [kind, name] = kindOf(agent, row, j);
      return j === first || kind === state.kind || name === state.kind;
    });
  }

  // What an item loses under the chosen kind: null where it was not asked, or has no score.
  function lost(agent, row) {
    const first = original(agent);
    const scores = columns(agent, row).filter((j) => j !== first).map((j) => agent.scores[j][row]).filter((score) => score !== null);
    if (first < 0 || agent.scores[first][row] === null || !scores.length) return null;
    return agent.scores[first][row] - scores.reduce((sum, score) => sum + score, 0) / scores.length;
  }

  function differs(agent, row) {
    const scores = columns(agent, row).map((j) => agent.scores[j][row]).filter((score) => score !== null);
    return scores.length > 1 && scores.some((score) => score !== scores[0]);
  }

  const SHOWN = {
    "": () => true,
    broken: (agent, row) => at(agent.items.moved, row) === -1,
    fixed: (agent, row) => at(agent.items.moved, row) === 1,
    unscored: (agent, row) => at(agent.items.missing, row) > 0,
    wrong: (agent, row) => agent.items.mean[row] === 0,
    flagged: (agent, row) => at(agent.items.audit, row) >= 0,
  };

  // One lower-case text an item, made once: ids, prompts, options, targets, answers and reasons.
  function haystack(agent, row) {
    agent.hay = agent.hay || [];
    if (agent.hay[row] !== undefined) return agent.hay[row];
    const task = taskOf(agent);
    const place = agent.items.item[row];
    const numbers = new Set();
    task.variants.forEach((_, j) => {
      numbers.add(inGrid(task.prompt, j, place));
      numbers.add(inGrid(task.target, j, place));
      (task.lists[inGrid(task.options, j, place)] || []).forEach((number) => numbers.add(number));
      for (let r = 0; r < agent.repeats; r += 1) {
        numbers.add(inGrid(agent.runs.answer, j, runAt(agent, row, r)));
        numbers.add(inGrid(agent.runs.reason, j, runAt(agent, row, r)));
        numbers.add(inGrid(agent.runs.tools, j, runAt(agent, row, r)));
      }
    });
    const parts = [task.ids[place]];
    numbers.forEach((number) => { if (number >= 0) parts.push(textHere(number)); });
    agent.hay[row] = parts.join("\n").toLowerCase();
    return agent.hay[row];
  }

  let searchable = false; // whether every text is here
  async function readAll() {
    await Promise.all(data.packs.map((_, pack) => load(pack)));
    if (!searchable) data.agents.forEach((agent) => { agent.hay = undefined; });
    searchable = true;
  }

  const ORDERS = {
    "": null, // as they come: by evidence
    id: (agent, a, b) => order.compare(idOf(agent, a), idOf(agent, b)),
    score: (agent, a, b) => (agent.items.mean[a] ?? 2) - (agent.items.mean[b] ?? 2),
  };
  const order = new Intl.Collator("en", { numeric: true });

  function chosen() {
    const agent = agentNow();
    const wanted = state.q.toLowerCase();
    const fits = SHOWN[state.show] || SHOWN[""];
    const rows = [];
    for (let row = 0; row < agent.items.item.length; row += 1) {
      if (fits(agent, row) && (!state.different || differs(agent, row)) && (!wanted || haystack(agent, row).includes(wanted))) rows.push(row);
    }
    const by = ORDERS[state.sort];
    if (by) return rows.sort((a, b) => by(agent, a, b));
    if (!state.kind) return rows;
    const losses = new Map(rows.map((row) => [row, lost(agent, row) ?? -2]));
    return rows.sort((a, b) => losses.get(b) - losses.get(a));
  }

  // ---- the address: a section, then everything that was chosen

  function address(changes, section = "items") {
    const next = { ...state, ...changes };
    const parts = Object.keys(EMPTY).filter((name) => next[name]).map((name) => `${name}=${encodeURIComponent(next[name])}`);
    return `#${[section, ...parts].join("&")}`;
  }

  function readAddress() {
    const [section, ...parts] = location.hash.slice(1).split("&");
    state = { ...EMPTY, section };
    parts.forEach((part) => {
      const [name, value] = [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)];
      try { if (name in EMPTY) state[name] = decodeURIComponent(value); } catch { /* not an address of ours */ }
    });
  }

  function choose(changes, { keep = false } = {}) {
    const to = address(changes);
    state = { ...state, ...changes };
    history[keep ? "pushState" : "replaceState"](null, "", to);
    draw();
  }

  // ---- the list

  let rows = [];
  let rowNow = null;

  function shade(score) {
    if (score === null || score === undefined) return "none";
    if (score <= 0) return "s0";
    if (score >= 1) return "s4";
    return score < 0.35 ? "s1" : score > 0.65 ? "s3" : "s2";
  }

  function line(agent, row) {
    const id = idOf(agent, row);
    const chance = agent.items.probability[row];
    const names = columnNames(agent);
    const strip = columns(agent, row).map((j) => el("i", { title: `${names[j]}: ${verbal(agent.scores[j][row])}`, class: agent.scores[j][row] === null && !runsOf(agent, row, j).length ? "absent" : shade(agent.scores[j][row]) }));
    const moved = { "-1": "newly broken", 1: "newly fixed" }[at(agent.items.moved, row)];
    const mean = agent.items.mean[row];
    const button = el("button", {
      type: "button", "data-row": row, tabindex: "-1", on: { click: () => choose({ item: id }, { keep: true }) },
    }, el("span", { class: "id", text: id }), el("span", { class: "strip", "aria-hidden": "true" }, ...strip),
    el("span", { class: "chance", text: chance === null ? `mean score ${brief(mean)}` : percent(chance), title: chance === null ? null : "Probability that wording matters for this item" }),
    moved ? el("span", { class: "tag", text: moved }) : null);
    return el("li", null, button);
  }

  function list() {
    const agent = agentNow();
    const box = byId("list");
    let shown = 0;
    const more = (upTo = shown + ROWS) => {
      box.append(...rows.slice(shown, upTo).map((row) => line(agent, row)));
      shown = Math.min(rows.length, upTo);
    };
    box.replaceChildren();
    more();
    box.scrollTop = 0;
    box.onscroll = () => { if (shown < rows.length && box.scrollTop + box.clientHeight > box.scrollHeight - 400) more(); };
    box.ready = (place) => { if (place >= shown) more(place + ROWS); };
    const known = agent.items.probability.some((chance) => chance !== null);
    byId("found").textContent = `${rows.length.toLocaleString("en")} of ${plural(agent.items.item.length, "item")}${state.kind && !state.sort ? ", the largest loss under this change first" : ""}${known ? "; in percent, the probability that wording matters" : ""}`;
    byId("none-found").hidden = rows.length > 0;
    const across = [...new Set(rows.slice(0, 200).flatMap((row) => columns(agent, row)))].sort((a, b) => a - b);
    byId("columns").replaceChildren(...across.map((j) => el("li", { text: columnNames(agent)[j] })));
    byId("columns").parentElement.hidden = across.length === 0;
  }

  function mark() {
    const box = byId("list");
    const place = rows.indexOf(rowNow);
    box.ready(place);
    box.querySelectorAll("button").forEach((button, i) => {
      const current = Number(button.dataset.row) === rowNow;
      button.tabIndex = current || (place < 0 && i === 0) ? 0 : -1;
      if (current) {
        button.setAttribute("aria-current", "true");
        const [top, bottom] = [button.offsetTop - box.offsetTop, button.offsetTop - box.offsetTop + button.offsetHeight];
        if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
      } else button.removeAttribute("aria-current");
    });
    byId("previous").disabled = place <= 0;
    byId("next").disabled = place < 0 || place >= rows.length - 1;
  }

  function step(by, focus = false) {
    const place = Math.min(rows.length - 1, Math.max(0, rows.indexOf(rowNow) + by));
    if (!rows.length || rows[place] === rowNow) return;
    choose({ item: idOf(agentNow(), rows[place]) });
    if (focus) byId("list").querySelector("[aria-current]").focus();
  }

  // ---- one item, in full

  function folded(content, most = LONG) {
    if (content.length <= most) return [document.createTextNode(content)];
    const box = el("span");
    const kept = Math.max(KEPT, Math.floor(most / 3));
    const first = content.slice(0, kept).replace(/\S{1,30}$/, ""); // whole words
    const last = content.slice(-kept).replace(/^\S{1,30}/, "");
    const hidden = (content.length - first.length - last.length).toLocaleString("en");
    const button = el("button", { type: "button", class: "unfold", text: `… ${hidden} more characters …`, on: { click: () => box.replaceChildren(content) } });
    box.append(first, button, last);
    return [box];
  }

  // The original's words struck out beside the new ones; what is long and unchanged is folded, and so is the end of a long text.
  function changedWords(before, after) {
    const parts = diff(before, after);
    const nodes = (some) => some.flatMap(([kind, part]) => (kind === "same" ? folded(part) : [changeNode(kind, part)]));
    let shown = 0;
    const end = parts.findIndex(([kind, part]) => { shown += kind === "same" ? Math.min(part.length, LONG) : part.length; return shown > CHANGED; });
    const rest = end < 0 ? [] : parts.slice(end + 1);
    const hidden = rest.reduce((sum, [, part]) => sum + part.length, 0);
    if (hidden < LONG) return nodes(parts);
    const places = rest.filter(([kind], i) => kind !== "same" && (i === 0 || rest[i - 1][0] === "same")).length;
    const button = el("button", { type: "button", class: "unfold", text: `… ${hidden.toLocaleString("en")} more characters, ${plural(places, "change")} …`, on: { click: () => button.replaceWith(...nodes(rest)) } });
    return [...nodes(parts.slice(0, end + 1)), button];
  }

  // Where to see the runs of one wording: the command, then a link for each run.
  function logLine(id, name, runs) {
    const [{ log }] = runs;
    const file = data.lognames[log];
    if (!data.samples[log]) return el("p", { class: "log", text: `From ${file}` });
    const [folder, last] = [file.slice(0, file.lastIndexOf("/")) || ".", file.slice(file.lastIndexOf("/") + 1)];
    const sample = data.samples[log] === 2 ? `${id}#${name}` : id;
    const place = `http://127.0.0.1:7575/#/logs/${encodeURIComponent(last)}/samples/sample/${encodeURIComponent(sample)}/`;
    const links = runs.filter((run) => run.log === log).flatMap((run) => [" ", el("a", { href: place + run.repeat, rel: "noreferrer", target: "_blank", text: `run ${run.repeat}` })]);
    return el("details", { class: "log" }, el("summary", { text: "Open in Inspect View" }),
      el("p", null, el("code", { text: `inspect view --log-dir ${/[^\w./:@+-]/.test(folder) ? JSON.stringify(folder) : folder}` }), ", then", ...links),
      el("p", { text: `Log ${last}, sample ${sample}` }));
  }

  function runsOf(agent, row, j) {
    const { runs } = agent;
    const found = [];
    for (let r = 0; r < agent.repeats; r += 1) {
      const place = runAt(agent, row, r);
      const outcome = inGrid(runs.outcome, j, place);
      if (outcome >= 0) {
        const score = inGrid(runs.score, j, place);
        found.push({ repeat: r + 1, score: score < 0 ? null : score / 1e4, outcome: data.outcomes[outcome], answer: inGrid(runs.answer, j, place), reason: inGrid(runs.reason, j, place), log: inGrid(runs.log, j, place), tools: inGrid(runs.tools, j, place), parting: inGrid(runs.parting, j, place), partsAt: inGrid(runs.parts_at, j, place), given: inGrid(runs.arguments, j, place), usual: inGrid(runs.usual_arguments, j, place) });
      }
    }
    return found;
  }

  const verbal = (score) => (score === null ? "no score" : score === 1 ? "right" : score === 0 ? "wrong" : brief(score));

  // `1–3, 5`
  const ranges = (numbers) => numbers.reduce((found, number) => {
    const last = found[found.length - 1];
    if (last && last[1] === number - 1) last[1] = number; else found.push([number, number]);
    return found;
  }, []).map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(", ");

  // Runs that came out the same, answer and all, are one line.
  function alike(runs, by = (run) => [run.score, run.outcome, run.answer, run.reason]) {
    const groups = new Map();
    runs.forEach((run) => {
      const key = by(run).join();
      groups.set(key, [...(groups.get(key) || []), run]);
    });
    return [...groups.values()];
  }

  const whichRuns = (same, several) => (several ? el("span", { class: "which-runs", text: `${same.length === 1 ? "Run" : "Runs"} ${ranges(same.map((one) => one.repeat))}` }) : null);

  // Two lists of tools with as few edits as can be; null where one of them has no call.
  function aligned(one, other) {
    const edits = Array.from({ length: one.length + 1 }, (_, i) => Array.from({ length: other.length + 1 }, (__, j) => (i === one.length ? other.length - j : one.length - i)));
    for (let i = one.length - 1; i >= 0; i -= 1) {
      for (let j = other.length - 1; j >= 0; j -= 1) edits[i][j] = Math.min(edits[i + 1][j + 1] + (one[i] !== other[j]), edits[i + 1][j] + 1, edits[i][j + 1] + 1);
    }
    const rows = [];
    for (let i = 0, j = 0; i < one.length || j < other.length;) {
      if (i < one.length && j < other.length && edits[i][j] === edits[i + 1][j + 1] + (one[i] !== other[j])) { rows.push([one[i], other[j]]); i += 1; j += 1; }
      else if (i < one.length && edits[i][j] === edits[i + 1][j] + 1) { rows.push([one[i], null]); i += 1; }
      else { rows.push([null, other[j]]); j += 1; }
    }
    return rows;
  }

  // The calls of the original and of a run that parts from it, row by row.
  function sideBySide(usual, tools, partsAt) {
    const names = (list) => list.split(" ").filter((name) => name && !name.startsWith("+"));
    const cell = (name) => el("td", { text: name === null ? "—" : name });
    const rows = aligned(names(usual), names(tools)).map(([there, here], i) => el("tr", { class: i + 1 === partsAt ? "fork" : null }, el("th", { scope: "row", text: String(i + 1) }), cell(there), cell(here)));
    const head = el("tr", null, ...["", "Original", "This wording"].map((name) => (name ? el("th", { scope: "col", text: name }) : el("td"))));
    return el("details", { class: "aligned" }, el("summary", { text: "Side by side with the original" }), el("table", null, el("thead", null, head), el("tbody", null, ...rows)));
  }

  // What the runs of a wording called, the first call that differs from the original's usual path marked.
  async function pathLine(same, several, isOriginal, usual) {
    const [run] = same;
    const [tools, parting, given, before] = await Promise.all([text(run.tools), text(run.parting), text(run.given), text(run.usual)]);
    const names = tools ? tools.split(" ") : [];
    const calls = names.map((name, i) => (name.startsWith("+") ? el("li", { class: "quiet", text: `${plural(Number(name.slice(1)), "more call")}` })
      : el("li", { class: i + 1 === run.partsAt ? "fork" : null, text: name })));
    const told = parting === null || (parting === "" && isOriginal) ? "" : parting || "the same calls as the original";
    return el("div", { class: "path" }, whichRuns(same, several), calls.length ? el("ol", { class: "calls", "aria-label": "Tool calls" }, ...calls) : el("p", { class: "quiet", text: "No tool call" }),
      told ? el("p", { class: parting ? "why" : "quiet", text: told }) : null,
      given !== null && before !== null && given !== before ? el("div", { class: "said arguments", role: "group", "aria-label": `Arguments of call ${run.partsAt}, the original's struck out` }, ...changedWords(before, given)) : null,
      parting && usual !== null ? sideBySide(usual, tools || "", run.partsAt) : null);
  }

  async function runLine(same, several) {
    const [run] = same;
    const [answer, reason] = await Promise.all([text(run.answer), text(run.reason)]);
    const why = run.score === null ? [run.outcome, reason].filter(Boolean).join(": ") : run.outcome === "answered" ? "" : run.outcome;
    return el("li", null,
      el("span", { class: `badge ${shade(run.score)}`, text: verbal(run.score) }),
      el("div", { class: "answer" }, whichRuns(same, several),
        ...(answer === null ? [el("em", { text: data.public ? "not in a public report" : "no answer recorded" })] : folded(answer)),
        why ? el("span", { class: "why", text: why }) : null));
  }

  async function wordingCard(agent, row, j, first) {
    const task = taskOf(agent);
    const name = task.variants[j];
    const place = agent.items.item[row];
    const listOf = async (column) => Promise.all((task.lists[inGrid(task.options, column, place)] || []).map(text));
    const [prompt, options, runs] = [await text(inGrid(task.prompt, j, place)), await listOf(j), runsOf(agent, row, j)];
    const score = agent.scores[j][row];
    const right = runs.filter((run) => run.score === 1).length;
    const missing = runs.filter((run) => run.score === null).length;
    const whole = runs.every((run) => run.score === null || run.score === 0 || run.score === 1);
    const summary = score === null ? "no score" : `${whole ? `${right} of ${runs.length - missing} right` : `mean score ${brief(score)}`}${missing ? `, ${missing} without a score` : ""}`;
    const [, called] = kindOf(agent, row, j);
    const title = name === "orig" ? "original" : called || name;
    const parts = [el("header", null, el("h4", { text: title.charAt(0).toUpperCase() + title.slice(1) }), el("span", { class: `badge ${shade(score)}`, text: summary }),
      title === name || name === "orig" ? null : el("p", { class: "quiet", text: name }))];
    if (prompt === null) parts.push(el("p", { class: "quiet", text: data.public ? "The wording is not in a public report." : "The wording was not recorded." }));
    else if (j === first.column || first.prompt === null) parts.push(el("div", { class: "said" }, ...folded(prompt, WHOLE)));
    else if (prompt === first.prompt) parts.push(el("p", { class: "quiet", text: "The same text as the original." }));
    else if (prompt.toLowerCase() === first.prompt.toLowerCase()) parts.push(el("p", { class: "quiet", text: "Only upper and lower case differ from the original:" }), el("div", { class: "said" }, ...folded(prompt, WHOLE)));
    else parts.push(el("div", { class: "said" }, ...changedWords(first.prompt, prompt)));
    if (options.length && (j === first.column || options.join("\n") !== first.options.join("\n"))) {
      parts.push(el("ol", { class: "choices" }, ...options.map((option) => el("li", { text: option }))));
    }
    parts.push(runs.length ? el("ol", { class: "runs", "aria-label": "Runs: score and answer" }, ...(await Promise.all(alike(runs).map((same) => runLine(same, runs.length > 1))))) : el("p", { class: "quiet", text: "Not asked." }));
    const withCalls = runs.filter((run) => run.tools >= 0);
    if (withCalls.length) parts.push(el("section", { class: "paths" }, el("h5", { text: "Tool calls" }), ...(await Promise.all(alike(withCalls, (run) => [run.tools, run.parting, run.given]).map((same) => pathLine(same, runs.length > 1, j === first.column, first.tools))))));
    const logged = runs.filter((run) => run.log >= 0);
    if (logged.length) parts.push(logLine(task.ids[place], name, logged));
    return el("article", { class: "wording" }, ...parts);
  }

  // The original first; with `different only`, of the others those that came out differently.
  function shownColumns(agent, row) {
    const first = original(agent);
    const mine = columns(agent, row).filter((j) => j !== first && (agent.scores[j][row] !== null || runsOf(agent, row, j).length));
    const others = state.different && first >= 0 ? mine.filter((j) => agent.scores[j][row] !== agent.scores[first][row]) : mine;
    return { columns: first >= 0 ? [first, ...others] : others, left: mine.length - others.length };
  }

  // How many runs call other tools or arguments than the original usually does, beside its own runs that do.
  function pathsApart(agent, row) {
    const first = original(agent);
    const counts = [false, true].map((own) => everyColumn(agent).filter((j) => (j === first) === own).flatMap((j) => runsOf(agent, row, j)).filter((run) => run.parting >= 0));
    const apart = counts.map((runs) => runs.filter((run) => run.partsAt > 0).length);
    if (!counts[0].length) return "";
    return `tool calls part from the original's in ${apart[0]} of ${plural(counts[0].length, "reworded run")}, and in ${apart[1]} of ${counts[1].length} of its own`;
  }

  let drawing = 0;
  async function panel() {
    const agent = agentNow();
    const box = byId("item");
    box.hidden = rowNow === null;
    if (rowNow === null) return;
    drawing += 1;
    const mine = drawing;
    const row = rowNow;
    const task = taskOf(agent);
    const place = agent.items.item[row];
    const chance = agent.items.probability[row];
    const [missing, all] = [at(agent.items.missing, row), at(agent.items.rows, row)];
    const shown = shownColumns(agent, row);
    byId("item-title").textContent = task.ids[place];
    const cards = [];
    const facts = [agent.name, chance === null ? "" : `wording matters with a probability of ${percent(chance)}`, missing > 0 ? `${missing} of ${plural(all, "run")} without a score` : "", ["ambiguous options", "unanswerable options"][at(agent.items.audit, row)] || "", pathsApart(agent, row)];
    try {
      const first = { column: original(agent), prompt: null, options: [], tools: null };
      if (first.column >= 0) {
        first.prompt = await text(inGrid(task.prompt, first.column, place));
        const paths = runsOf(agent, row, first.column).filter((run) => run.tools >= 0);
        if (paths.length) first.tools = await text((paths.find((run) => run.partsAt < 0) || paths[0]).tools);
        first.options = await Promise.all((task.lists[inGrid(task.options, first.column, place)] || []).map(text));
      }
      const target = await text(inGrid(task.target, Math.max(0, first.column), place));
      if (target) facts.push(`target: ${target}`);
      for (const j of shown.columns) cards.push(await wordingCard(agent, row, j, first)); // eslint-disable-line no-await-in-loop
    } catch (error) { cards.push(el("p", { class: "caution", text: `The text of this item is not here. ${error.message}` })); }
    if (mine !== drawing) return;
    byId("item-facts").textContent = facts.filter(Boolean).join(" · ");
    byId("item-left").textContent = shown.left ? `${plural(shown.left, "wording")} that came out as the original did ${shown.left === 1 ? "is" : "are"} not shown.` : "";
    byId("wordings").replaceChildren(...cards);
    box.dataset.item = task.ids[place];
  }

  // ---- all of it

  const CONTROLS = { agent: "agent", kind: "kind", show: "show", sort: "sort" };

  function controls() {
    const agent = agentNow();
    const kinds = new Map();
    taskOf(agent).kinds.filter(([kind]) => kind && kind !== "original").forEach(([kind, name]) => {
      if (!kinds.has(kind)) kinds.set(kind, new Set());
      kinds.get(kind).add(name);
    });
    const names = [...kinds].flatMap(([kind, changes]) => [kind, ...(changes.size > 1 ? [...changes].filter((name) => name !== kind) : [])]);
    byId("kind").replaceChildren(el("option", { value: "", text: "all kinds of change" }), ...names.map((name) => el("option", { value: name, text: name })));
    if (!names.includes(state.kind)) state.kind = "";
    if (!(state.show in SHOWN)) state.show = "";
    if (!(state.sort in ORDERS)) state.sort = "";
    Object.entries(CONTROLS).forEach(([name, id]) => { byId(id).value = name === "agent" ? agent.name : state[name]; });
    byId("different").checked = Boolean(state.different);
    if (byId("find").value !== state.q) byId("find").value = state.q;
  }

  let drawn = "";
  function draw() {
    const agent = agentNow();
    controls();
    const selection = JSON.stringify([agent.name, state.kind, state.show, state.sort, state.q, state.different]);
    if (selection !== drawn) {
      rows = chosen();
      list();
      drawn = selection;
    }
    const wanted = rows.find((row) => idOf(agent, row) === state.item);
    const anywhere = state.item && wanted === undefined ? agent.items.item.findIndex((_, row) => idOf(agent, row) === state.item) : -1;
    const plain = !["kind", "show", "sort", "q", "different"].some((name) => state[name]);
    rowNow = wanted !== undefined ? wanted : anywhere >= 0 ? anywhere : !rows.length ? null : plain ? agent.open : rows[0];
    mark();
    panel();
  }

  async function fromAddress() {
    readAddress();
    if (state.q) await readAll();
    draw();
    const target = state.item ? byId("item") : document.getElementById(state.section);
    if (target && location.hash.includes("&")) {
      (target.closest("details") || target).open = true;
      target.scrollIntoView();
    } else if (target instanceof HTMLDetailsElement) target.open = true;
  }

  async function search() {
    const wanted = byId("find").value;
    if (wanted && !searchable) {
      byId("found").textContent = "reading the texts …";
      await readAll().catch((error) => { byId("found").textContent = `Not every text can be searched. ${error.message}`; });
    }
    if (byId("find").value === wanted) choose({ q: wanted, item: "" });
  }

  async function copyLink() {
    const link = new URL(address({ item: idOf(agentNow(), rowNow) }), location.href).href;
    history.replaceState(null, "", link);
    const told = await navigator.clipboard.writeText(link).then(() => "Copied", () => "The link is in the address bar");
    byId("copied").textContent = told;
    setTimeout(() => { byId("copied").textContent = ""; }, 3000);
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "/") { event.preventDefault(); byId("find").focus(); }
    if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  }

  function walk(event) {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    step(by, true);
  }

  function itemTable() {
    const agent = agentNow();
    const across = everyColumn(agent);
    const { items } = agent;
    return csvText([["agent", "benchmark", "item", "probability_wording_matters", "mean_score", "runs", "runs_without_score", ...across.map((j) => `score ${taskOf(agent).variants[j]}`)],
      ...rows.map((row) => [agent.model, taskOf(agent).name, idOf(agent, row), items.probability[row], items.mean[row], at(items.rows, row), at(items.missing, row), ...across.map((j) => agent.scores[j][row])])]);
  }

  if (typeof DecompressionStream === "undefined") {
    byId("none-found").textContent = "The items cannot be shown: this browser cannot unpack them. Any browser since 2023 can.";
    byId("none-found").hidden = false;
    return;
  }
  data = await unpacked(byId("data").textContent);
  byId("agent").replaceChildren(...data.agents.map((agent) => el("option", { value: agent.name, text: agent.name })));
  byId("agent").parentElement.hidden = data.agents.length < 2;
  const has = (test) => data.agents.some((agent) => agent.items.item.some((_, row) => test(agent, row)));
  byId("show").querySelectorAll("option").forEach((option) => { if (option.value && !has(SHOWN[option.value])) option.remove(); });
  Object.entries(CONTROLS).forEach(([name, id]) => byId(id).addEventListener("change", (event) => choose({ [name]: event.target.value, ...(name === "agent" ? { kind: "" } : {}) })));
  byId("different").addEventListener("change", (event) => choose({ different: event.target.checked ? "1" : "" }));
  byId("find").addEventListener("input", search);
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("copy").addEventListener("click", copyLink);
  byId("list").addEventListener("keydown", walk);
  document.addEventListener("keydown", keys);
  window.addEventListener("hashchange", fromAddress);
  document.querySelectorAll("nav a").forEach((link) => link.addEventListener("click", (event) => {
    event.preventDefault();
    const section = link.getAttribute("href").slice(1);
    history.replaceState(null, "", address({}, section));
    const target = byId(section);
    if (target instanceof HTMLDetailsElement) target.open = true;
    target.scrollIntoView();
  }));
  // More sections are to the right of what a narrow window shows.
  const menu = document.querySelector("nav div");
  const hint = () => menu.parentElement.toggleAttribute("data-more", menu.scrollLeft + menu.clientWidth < menu.scrollWidth - 8);
  menu.addEventListener("scroll", hint);
  window.addEventListener("resize", hint);
  hint();
  offer(byId("items-save"), "items", { svg: null, csv: itemTable });
  document.querySelectorAll("figure[data-figure]").forEach((figure) => {
    const name = figure.dataset.figure;
    offer(figure.querySelector(".save"), name, { svg: () => figure.querySelector("svg"), csv: () => data.figures[name] });
  });
  const folds = [...document.querySelectorAll("main details")];
  window.addEventListener("beforeprint", () => folds.forEach((fold) => { fold.dataset.was = fold.open; fold.open = true; }));
  window.addEventListener("afterprint", () => folds.forEach((fold) => { fold.open = fold.dataset.was === "true"; }));
  await fromAddress();
  document.body.dataset.ready = "";
  if (data.packs.every(({ packed }) => packed)) setTimeout(() => readAll().then(() => data.agents[0].items.item.forEach((_, row) => haystack(data.agents[0], row))), 300);
})();
