// The verdict on each agent: accuracy beside robustness, with intervals and the lowest possible value; what was left out; how to read it.

const LOWEST = 0.5; // S_prompt with two wordings, one always right and one always wrong: nothing is lower
const within = (value) => Math.min(1, Math.max(0, value));
const percent = (value) => `${100 * within(value)}%`;

function place(node, from, to) {
  node.style.left = percent(from);
  if (to !== undefined) node.style.width = `${100 * Math.max(0, within(to) - within(from))}%`;
  return node;
}

function measure(estimate, options) {
  const { floor = null, ticks = [], ends = ["0%", "100%"], start = 0 } = options;
  const along = (value) => (value - start) / (1 - start);
  const track = el("div", { class: "track", role: "img", "aria-label": `${estimate.title} ${estimate.text}` });
  const scale = el("div", { class: "scale", "aria-hidden": "true" },
    el("span", { class: "first", text: ends[0] }), place(el("span", { class: "last", text: ends[1] }), 1));
  if (floor !== null && along(floor) > 0.1) {
    track.append(place(el("div", { class: "floor" }), 0, along(floor)));
    if (along(floor) < 0.3) scale.firstChild.remove(); // no room for both labels on a phone
    scale.append(place(el("span", { text: `lowest possible ${floor.toFixed(2)}` }), along(floor)));
  }
  ticks.forEach((tick) => {
    track.append(place(el("div", { class: "tick" }), along(tick)));
    if (floor === null || Math.abs(tick - floor) > 0.12) scale.append(place(el("span", { text: String(tick) }), along(tick)));
  });
  if (estimate.value !== null) {
    if (estimate.low !== null && estimate.high !== null) {
      track.append(place(el("div", { class: "range" }), along(estimate.low), along(estimate.high)));
    }
    track.append(place(el("div", { class: "dot" }), along(estimate.value)));
  }
  return el("div", { class: "measure" },
    el("div", { class: "name" }, el("span", { text: estimate.title }), el("b", { text: estimate.text })), track, scale);
}

function noiseSplit(agent) {
  const { phrasing, noise, phrasing_share: share } = agent.estimates;
  if (!phrasing || !noise || phrasing.value === null || noise.value === null) return null;
  const parts = [Math.max(0, phrasing.value), Math.max(0, noise.value)];
  const whole = parts[0] + parts[1] || 1;
  const said = `Phrasing ${phrasing.text}, noise ${noise.text}`;
  const bar = el("div", { class: "split", role: "img", "aria-label": said });
  ["phrasing", "noise"].forEach((name, i) => {
    const part = el("div", { class: name });
    part.style.width = `${(100 * parts[i]) / whole}%`;
    bar.append(part);
  });
  return el("div", { class: "measure" },
    el("div", { class: "name" }, el("span", { text: "Variance: phrasing against noise" }), el("b", { text: share ? share.text : "" })),
    bar, el("p", { class: "quiet", text: said }));
}

function estimateTable(agent) {
  const rows = Object.values(agent.estimates).map((estimate) => el("tr", null,
    el("th", { scope: "row", text: estimate.title }), el("td", { text: estimate.text }), el("td", { text: estimate.n }),
    el("td", { text: estimate.missing }), el("td", { class: "text", text: estimate.reason })));
  const head = ["Measure", "Value", "Items", "Runs without a score", "Remark"].map((name, i) =>
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
    ends: [agent.floor === LOWEST ? "lowest possible 0.50" : LOWEST.toFixed(2), "1"],
  }));
  const split = noiseSplit(agent);
  if (split) tracks.append(split);
  const facts = el("dl", { class: "facts" });
  ["s_norm", "consistency_at_k", "c_out", "fragility_score", "excess_flips", "delta_accuracy", "format_failure_rate"].forEach((name) => {
    const estimate = agent.estimates[name];
    if (estimate && (estimate.value !== null || name === "format_failure_rate")) facts.append(el("div", null, el("dt", { text: estimate.title }), el("dd", { text: estimate.text })));
  });
  return el("article", { class: "card" },
    el("h3", { text: agent.name }),
    el("p", { class: "headline", text: agent.headline }), el("p", { class: "numbers", text: agent.numbers }),
    tracks, facts,
    el("ul", { class: "cautions" }, ...agent.cautions.map((caution) => el("li", { text: caution }))),
    el("p", { class: "quiet", text: `n: ${agent.size}` }), estimateTable(agent));
}

function audited(data) {
  byId("audit").hidden = data.audit === null;
  if (data.audit === null) return;
  const { said, head, rows } = data.audit;
  const first = (text) => el("th", { scope: "row" }, el("span", { class: "id", title: text, text }));
  const kind = (place, start) => (place === start ? "text" : null); // which items: the one column of words
  byId("audited").replaceChildren(
    ...said.map((line) => el("p", { class: "lead", text: line })),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "audit-title" }, el("table", null,
      el("thead", null, el("tr", null, ...head.map((text, i) => el("th", { scope: "col", class: kind(i, 1), text })))),
      el("tbody", null, ...rows.map(([name, ...cells]) => el("tr", null, first(name), ...cells.map((text, i) => el("td", { class: kind(i, 0), text }))))))));
}

function leftOut(data) {
  const names = [...new Set(data.agents.flatMap((agent) => Object.keys(agent.statuses)))];
  const head = ["Runs by status", ...names].map((name) => el("th", { scope: "col", text: name }));
  const rows = data.agents.map((agent) => el("tr", null, el("th", { scope: "row" }, el("span", { class: "id", title: agent.name, text: agent.name })),
    ...names.map((name) => el("td", { text: (agent.statuses[name] || 0).toLocaleString("en") }))));
  const parts = [el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs by status" },
    el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...rows))),
    el("p", { class: "lead", text: "Only scored runs enter a score. The others are counted here and in every measure, never taken as zero." })];
  if (data.skipped.length) {
    parts.push(el("h3", { text: data.skipped.length === 1 ? "One file was not used" : `${data.skipped.length} files were not used` }));
    parts.push(el("ul", null, ...data.skipped.map(([file, reason]) => el("li", { text: `${file}: ${reason}` }))));
  } else parts.push(el("p", { class: "quiet", text: "No file was skipped." }));
  byId("left").replaceChildren(...parts);
}

function reading(data) {
  const lines = [
    ["S_prompt", "1 minus the mean, over items, of the variance of an item's scores over its wordings. It says how little the scores depend on the wording, not how good they are: an agent that is always wrong has 1. Read it beside accuracy."],
    ["Lowest possible value", "With V wordings and scores from 0 to 1, S_prompt cannot fall below a value that depends on V: 0.50 for 2 wordings, 0.67 for 3 and 4, 0.70 for 5 and 6, towards 0.75 for many. The bar starts at 0.50, the lowest of all; its hatched part cannot be reached here."],
    ["S_norm", "The same on a full scale: 0 is the lowest possible value, 1 is no effect of wording."],
    ...data.levels.map(([level, meaning, band]) => [`Sensitivity: ${level}`, `${meaning} In the CSV files: band ${band}, as HAL names it.`]),
    ["Run-to-run noise", "How much the score changes when the very same prompt is asked again. Known only with two repeats or more."],
    ["Repeatability (C_out)", "(2p − 1)², with p the share of right outcomes over repeats of one wording: 1 when it always comes out the same way. With few repeats it reads too high."],
    ["Uninformative", "Items always right or always wrong. They count in the means but cannot show what wording does."],
    ["Intervals", `${100 * data.level}% intervals, from resampling whole items. With few items they are rough.`],
  ];
  byId("reading").replaceChildren(...lines.flatMap(([name, meaning]) => [el("dt", { text: name }), el("dd", { text: meaning })]));
}
