// The review of a variants file.
(function () {
  const data = embedded();
  const ITEMS = 20; // drawn at a time
  const STATUSES = ["accepted", "rejected", "undecided", "missing"];
  const MARKS = { accepted: "✓", rejected: "✗", undecided: "?", missing: "∅" };
  const SAID = { pass: "passed", fail: "failed", flag: "flagged", not_applicable: "not applicable" };
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const ALIGNED = /^ *(```|~~~|\|)|^( {2,}|\t)\S/m; // code, tables, indented text: read best with letters of one width
  const text = (place) => (place === null ? "" : data.strings[place]);
  const many = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
  const letter = (place) => LETTERS[place] || String(place - LETTERS.length + 1);

  // ---- what the page was told: see _Content in review.py

  const checkResults = data.check_results.map((said) => said.map(([check, status, reason]) => ({ check, status, reason })));

  function variantOf(item, row) {
    const [line, id, name, kind, change, prompt, choices, target, order, said, maker, status, layer, key, decision] = row;
    const checks = checkResults[said];
    const objections = checks.filter((one) => one.status === "fail" || one.status === "flag");
    const told = { status, layer, decision };
    return { item, line, id, name, kind, change, prompt, choices, target, order, checks, objections, maker, status, told, key, own: null, reasons: [] };
  }

  const missingOf = (item, [name, kind, reasons]) => ({ item, name, kind, reasons, objections: [], status: "missing" });

  const isControl = (row) => data.controls.includes(row.kind); // meant to change the answer: no variant to score
  const hasNone = (item) => !item.rows.some((row) => row.status === "accepted" && !isControl(row));
  const items = data.items.map((told) => {
    const item = { id: told.id, exact: told.exact };
    item.original = told.original && variantOf(item, told.original);
    item.rows = [...told.rows.map((row) => variantOf(item, row)), ...told.missing.map((slot) => missingOf(item, slot))];
    item.none = hasNone(item);
    return item;
  });
  const everyRow = items.flatMap((item) => item.rows);

  function tally(rows) {
    const counts = { accepted: 0, rejected: 0, undecided: 0, missing: 0 };
    rows.forEach((row) => { counts[row.status] += 1; });
    return counts;
  }
  const inWords = (counts) => STATUSES.filter((name) => counts[name] || name === "accepted")
    .map((name) => `${counts[name].toLocaleString("en")} ${name}`).join(", ");

  // ---- filters

  const noFilters = () => ({ find: "", family: "", status: "", check: "", none: false });
  let filters = noFilters();
  let opened = new Set(); // items whose hidden variants were asked for
  let lowered = null;

  const textsOf = (row) => (row.status === "missing" ? [row.name, ...row.reasons] : [
    row.id, row.name, row.change, ...(Array.isArray(row.prompt) ? row.prompt.map((turn) => turn[1]) : [row.prompt]),
    ...row.choices, ...row.checks.map((one) => one.reason),
  ]);

  function finder() {
    const wanted = filters.find.trim().toLowerCase();
    if (!wanted) return { item: () => true, row: () => true };
    const line = /^line (\d+)$/.exec(wanted);
    if (line) {
      const at = (row) => row !== null && row.line === Number(line[1]);
      return { item: (item) => at(item.original), row: at };
    }
    lowered = lowered || data.strings.map((one) => one.toLowerCase());
    const hits = lowered.map((one) => one.includes(wanted));
    const has = (row) => textsOf(row).some((place) => place !== null && hits[place]);
    return { item: (item) => hits[item.id] || (item.original !== null && has(item.original)), row: has };
  }

  // What to show, and for each filter how many variants each of its values would leave.
  function select() {
    const find = finder();
    const shown = [];
    const counts = { family: data.kinds.map(() => 0), status: { accepted: 0, rejected: 0, undecided: 0, missing: 0 }, check: data.checks.map(() => 0) };
    const total = { family: 0, status: 0, check: 0 };
    const count = (filter, row) => {
      total[filter] += 1;
      if (filter === "family") counts.family[row.kind] += 1;
      else if (filter === "status") counts.status[row.status] += 1;
      else row.objections.forEach((one) => { counts.check[one.check] += 1; });
    };
    let none = 0;
    const narrowed = filters.family !== "" || filters.status !== "" || filters.check !== "";
    items.forEach((item) => {
      const whole = find.item(item);
      const rows = item.rows.filter((row) => {
        if (!(whole || find.row(row))) return false;
        if (filters.none && !item.none) return false;
        const fails = [];
        if (filters.family !== "" && row.kind !== Number(filters.family)) fails.push("family");
        if (filters.status !== "" && row.status !== filters.status) fails.push("status");
        if (filters.check !== "" && !row.objections.some((one) => one.check === Number(filters.check))) fails.push("check");
        Object.keys(total).forEach((filter) => { if (fails.every((one) => one === filter)) count(filter, row); });
        return !fails.length;
      });
      if (!rows.length && (item.rows.length || !whole || narrowed)) return;
      if (item.none) none += 1;
      shown.push({ item, rows });
    });
    return { shown, counts, total, none };
  }

  function choices(id, total, values) {
    const chosen = filters[id];
    const options = values.filter(([value, , count]) => count > 0 || value === chosen)
      .map(([value, name, count]) => el("option", { value, text: `${name} (${count.toLocaleString("en")})` }));
    byId(id).replaceChildren(el("option", { value: "", text: `any (${total.toLocaleString("en")})` }), ...options);
    byId(id).value = chosen;
  }

  const familyName = (kind) => data.kinds[kind] || "family not said";

  function update() {
    const shown = recount();
    byId("items").replaceChildren();
    if (!shown.length) byId("items").append(el("p", { class: "empty", text: "No variant fits these filters." }));
    drawn = { shown, count: 0 };
    drawMore();
  }

  // What is drawn stays until the filters change, so that a variant does not vanish when it is decided on.
  function recount() {
    const { shown, counts, total, none } = select();
    choices("family", total.family, data.kinds.map((_, i) => [String(i), familyName(i), counts.family[i]]));
    choices("status", total.status, STATUSES.map((name) => [name, name, counts.status[name]]));
    choices("check", total.check, data.checks.map((name, i) => [String(i), name, counts.check[i]]));
    byId("none-label").textContent = `only items with no accepted variant (${none.toLocaleString("en")})`;
    byId("clear").hidden = JSON.stringify(filters) === JSON.stringify(noFilters());
    byId("found").textContent = `${shown.length.toLocaleString("en")} of ${many(items.length, "item")}: ${inWords(tally(shown.flatMap((one) => one.rows)))}`;
    return shown;
  }

  let drawn = { shown: [], count: 0 };

  function drawMore() {
    const { shown, count } = drawn;
    const next = shown.slice(count, count + ITEMS).map(({ item, rows }) => itemCard(item, rows));
    byId("items").append(...next);
    drawn.count = count + next.length;
    const rest = shown.length - drawn.count;
    byId("items").toggleAttribute("data-rest", rest > 0);
    if (rest > 0) byId("items").dataset.rest = `${rest} more of ${shown.length} items were not drawn when this was printed.`;
    byId("more").hidden = rest <= 0;
    byId("more").textContent = `Show ${Math.min(ITEMS, rest)} more of ${rest.toLocaleString("en")}`;
  }

  byId("more").addEventListener("click", () => {
    const from = drawn.count;
    drawMore();
    byId("items").children[from].querySelector("h3").focus();
  });

  // ---- one item

  function standing(item) {
    if (!item.rows.length) return "no variant was made";
    const counts = tally(item.rows);
    if (!item.none) return inWords(counts);
    return `no accepted variant${counts.accepted ? " beside controls" : ""}: ${inWords(counts)}`;
  }

  function itemCard(item, rows) {
    const whole = opened.has(item);
    const hidden = item.rows.length - rows.length;
    const heading = el("h3", { tabindex: "-1", text: text(item.id) });
    const card = el("article", { class: "card item" },
      el("div", { class: "top" }, heading,
        el("span", { class: item.none ? "caution" : "quiet", text: standing(item) })),
      item.original ? originalBlock(item.original) : el("p", { class: "caution", text: "The original is not in the file, so there is nothing to compare with." }),
      ...(whole ? item.rows : rows).map((row) => (row.status === "missing" ? missingBlock(row) : variantBlock(row))));
    if (hidden && !whole) {
      const more = el("button", { type: "button", class: "plain", text: `Show all ${item.rows.length}`, "aria-label": `Show all ${item.rows.length} variants of ${text(item.id)}`, on: { click: () => {
        opened.add(item);
        const drawn = itemCard(item, rows);
        card.replaceWith(drawn);
        drawn.querySelector("h3").focus();
      } } });
      card.append(el("div", { class: "others" }, `${many(hidden, "variant")} hidden by the filters. `, more));
    }
    return card;
  }

  const facts = (...parts) => el("div", { class: "facts" }, ...parts);
  const at = (row) => el("span", { class: "at" }, el("span", { class: "line", text: `line ${row.line}` }), " ", copyButton(row));
  const badge = (status) => el("span", { class: "badge" }, el("span", { "aria-hidden": "true", text: `${MARKS[status]} ` }), status);
  const kindOf = (row) => el("span", { class: "kind", text: [familyName(row.kind), row.change === undefined ? "" : text(row.change)].filter(Boolean).join(" · ") });

  function originalBlock(row) {
    const body = el("div", { class: "body" }, ...turns(null, row.prompt));
    if (row.choices.length) body.append(options(null, row));
    if (!Number.isInteger(row.target)) body.append(el("p", { class: "quiet", text: answers(row.target) }));
    if (row.objections.length) body.append(objections(row));
    return el("div", { class: "row original" }, facts(el("h4", { text: "original" }), at(row)), body);
  }

  function variantBlock(row) {
    const { original } = row.item;
    const body = el("div", { class: "body" }, ...turns(original && original.prompt, row.prompt));
    if (row.choices.length || (original && original.choices.length)) {
      const same = original && ["choices", "target"].every((name) => String(original[name]) === String(row[name]));
      body.append(same ? el("p", { class: "quiet", text: "Options as in the original." }) : options(original, row));
    }
    if (!Number.isInteger(row.target) && !(original && String(original.target) === String(row.target))) {
      body.append(el("p", { class: original ? "caution" : "quiet", text: original ? `Not the original's answer. ${answers(row.target)}` : answers(row.target) }));
    }
    if (isControl(row)) body.append(el("p", { class: "quiet", text: "A control: it is meant to change the answer, and enters no robustness score." }));
    body.append(el("p", { class: row.status === "undecided" ? "caution" : "quiet", text: spoken(row) }));
    const said = objections(row);
    if (said.children.length) body.append(said);
    if (isOpen(row)) body.append(buttons(row));
    body.append(checks(row));
    const block = el("div", { class: `row ${row.status}`, tabindex: "-1" }, facts(badge(row.status), el("h4", { text: text(row.name) }), kindOf(row), at(row)), body);
    blocks.set(row, block);
    rowOf.set(block, row);
    return block;
  }

  function missingBlock(row) {
    const reasons = row.reasons.length ? el("ul", { class: "failures" }, ...row.reasons.map((reason) => el("li", { text: text(reason) })))
      : el("p", { class: "quiet", text: "No reason was recorded." });
    return el("div", { class: "row missing" }, facts(badge("missing"), el("h4", { text: text(row.name) }), kindOf(row)),
      el("div", { class: "body" }, el("p", { class: "quiet", text: "It could not be made, and nothing stands in for it." }), reasons));
  }

  function answers(target) {
    if (!target.length) return "The answer is known to the scorer only.";
    return `Accepted answer${target.length === 1 ? "" : "s"}: ${target.map(text).join(" · ")}`;
  }

  // What speaks against it or asks for a look, and what a model said in its favour.
  function objections(row) {
    const judged = row.checks.filter((one) => one.status === "pass" && isJudge(one));
    const line = (one, kind, said) => el("li", { class: kind }, el("b", { text: data.checks[one.check] }), ` ${said}${text(one.reason) ? `: ${text(one.reason)}` : ""}`);
    return el("ul", { class: "failures" },
      ...row.objections.map((one) => (one.status === "fail" ? line(one, null, "failed") : line(one, "flagged", "asks for a look"))),
      ...judged.map((one) => line(one, "judged", "passed")));
  }

  function checks(row) {
    const counts = Object.keys(SAID).map((status) => [row.checks.filter((one) => one.status === status).length, SAID[status]]);
    const said = counts.filter(([count]) => count).map(([count, name]) => `${count} ${name}`).join(", ");
    const details = el("details", null, el("summary", { text: row.checks.length ? `${many(row.checks.length, "check")}: ${said}` : "Not checked" }));
    // Most are never opened, so they are filled when they are.
    details.addEventListener("toggle", () => {
      if (details.children.length > 1) return;
      if (row.checks.length) {
        const head = ["Check", "Check result", "Reason"].map((name) => el("th", { scope: "col", text: name }));
        details.append(el("table", null, el("thead", null, el("tr", null, ...head)), el("tbody", null, ...row.checks.map((one) => el("tr", null,
          el("th", { scope: "row", text: data.checks[one.check] }), el("td", { text: SAID[one.status] }), el("td", { text: text(one.reason) }))))));
      }
      details.append(el("p", { class: "quiet", text: `Made by ${text(row.maker) || "an unnamed generator"}` }));
    });
    return details;
  }

  // ---- who decided, and the reader's own decisions

  const blocks = new Map(); // of the rows that are drawn
  const rowOf = new WeakMap();
  let unsaved = false;

  const isJudge = (one) => data.judging.includes(data.checks[one.check]);
  const isOpen = (row) => Boolean(row.key) && !(row.told.layer === "invariant" && row.told.status === "rejected");

  function spoken(row) {
    const { status, layer, decision } = row.told;
    if (row.own) return `${row.own.accepted ? "Accepted" : "Rejected"} by you, not yet in the file.`;
    if (layer === "person") {
      const [accepted, person, date, note] = decision;
      return `${accepted ? "Accepted" : "Rejected"} by ${text(person)} on ${text(date)}${text(note) ? `: ${text(note)}` : "."}`;
    }
    if (status === "undecided") {
      const asked = row.objections.some((one) => isJudge(one));
      return asked ? "Undecided: the judge could not decide." : "Undecided: it carries a flag, and nobody has decided.";
    }
    if (layer === "judge") return status === "accepted" ? "Accepted by the judge." : "Rejected by the judge.";
    return status === "rejected" ? "Refused by an invariant, which no decision overrules." : "Accepted: no check objects.";
  }

  function buttons(row) {
    const name = `${text(row.name)} of ${text(row.item.id)}`;
    const button = (word, accepted) => el("button", { type: "button", class: "plain", "aria-pressed": String(row.own !== null && row.own.accepted === accepted), "aria-label": `${word} ${name}`, text: word, on: { click: () => decide(row, accepted, word) } });
    const group = el("div", { class: "decide", role: "group", "aria-label": `Decide on ${name}` }, button("Accept", true), button("Reject", false));
    if (row.own) {
      const note = el("input", { type: "text", on: { input: (event) => { row.own.note = event.target.value; unsaved = true; } } });
      note.value = row.own.note;
      group.append(el("button", { type: "button", class: "plain", text: "Take back", "aria-label": `Take back the decision on ${name}`, on: { click: () => decide(row, null, "Accept") } }), el("label", null, "Note ", note));
    }
    return group;
  }

  function today() {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  }

  // `accepted` null takes it back. The focus stays on the button of that word, or else on the variant.
  function decide(row, accepted, word) {
    const old = row.own;
    row.own = accepted === null ? null : { accepted, date: today(), note: old ? old.note : "" };
    row.status = row.own ? (accepted ? "accepted" : "rejected") : row.told.status;
    row.item.none = hasNone(row.item);
    unsaved = everyRow.some((one) => one.own);
    const before = blocks.get(row);
    const card = before.closest("article");
    const block = variantBlock(row);
    before.replaceWith(block);
    const held = word && [...block.querySelectorAll(".decide button")].find((one) => one.textContent === word);
    (held || block).focus();
    const top = card.querySelector(".top span");
    top.className = row.item.none ? "caution" : "quiet";
    top.textContent = standing(row.item);
    recount();
    summary();
    showDecided();
  }

  function nextUndecided(from) {
    const rows = drawn.shown.flatMap((one) => one.rows).filter((row) => row.status === "undecided" || row === from);
    const after = rows.slice(rows.indexOf(from) + 1)[0] || rows[0];
    if (!after || after === from) {
      byId("said").textContent = "Nothing that is shown is undecided.";
      return;
    }
    while (drawn.count < drawn.shown.length && !(blocks.has(after) && blocks.get(after).isConnected)) drawMore();
    blocks.get(after).focus();
    blocks.get(after).scrollIntoView({ block: "center" });
  }

  const decided = () => everyRow.filter((row) => row.own);
  const fileName = () => `${data.source.split(/[\\/]/).pop().replace(/\.jsonl$/, "")}-decisions.jsonl`;

  function showDecided(said) {
    const count = decided().length;
    const left = tally(everyRow).undecided;
    byId("download").textContent = `Download decisions (${count.toLocaleString("en")})`;
    byId("download").disabled = count === 0;
    byId("decided").textContent = said || `${many(count, "decision")} made here, ${left.toLocaleString("en")} undecided.`;
  }

  function download() {
    const person = byId("person").value.trim();
    byId("person").setAttribute("aria-invalid", String(!person));
    if (!person) {
      byId("person").focus();
      showDecided("Say first who decides: your name goes into the file.");
      return;
    }
    const exact = (told, shown) => (told === null ? text(shown) : JSON.parse(told));
    const lines = decided().map((row) => JSON.stringify({
      item: exact(row.item.exact, row.item.id), name: exact(row.key[1], row.name), accepted: row.own.accepted,
      person, date: row.own.date, wording_hash: row.key[0], note: row.own.note.trim(),
    }));
    save(fileName(), `${lines.join("\n")}\n`, "application/x-ndjson");
    unsaved = false;
    showDecided(`${many(lines.length, "decision")} saved as ${fileName()}.`);
  }

  byId("items").addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const key = event.key.toLowerCase();
    const block = event.target.closest(".row");
    const row = (block && rowOf.get(block)) || null;
    if (key === "n") nextUndecided(row);
    else if (row && isOpen(row) && (key === "a" || key === "r")) decide(row, key === "a");
    else if (row && row.own && key === "u") decide(row, null);
    else return;
    event.preventDefault();
  });
  byId("next").addEventListener("click", () => nextUndecided(null));
  byId("deciding").addEventListener("submit", (event) => { event.preventDefault(); download(); });
  window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });

  // ---- the prompt, turn by turn

  const chat = (prompt) => (Array.isArray(prompt) ? prompt : [["user", prompt]]);

  // Pairs of turns that stand for each other; a turn without a partner is paired with null.
  function paired(before, after) {
    const width = after.length + 1;
    const best = new Float64Array((before.length + 1) * width);
    const worth = (a, b) => (a[0] !== b[0] ? -Infinity : a[1] === b[1] ? 1000 : 1);
    for (let i = before.length - 1; i >= 0; i -= 1) {
      for (let j = after.length - 1; j >= 0; j -= 1) {
        best[i * width + j] = Math.max(best[(i + 1) * width + j], best[i * width + j + 1], best[(i + 1) * width + j + 1] + worth(before[i], after[j]));
      }
    }
    const pairs = [];
    let [i, j] = [0, 0];
    while (i < before.length || j < after.length) {
      const here = best[i * width + j];
      if (i < before.length && j < after.length && here === best[(i + 1) * width + j + 1] + worth(before[i], after[j])) { pairs.push([before[i], after[j]]); i += 1; j += 1; }
      else if (i < before.length && (j === after.length || here === best[(i + 1) * width + j])) { pairs.push([before[i], null]); i += 1; }
      else { pairs.push([null, after[j]]); j += 1; }
    }
    return pairs;
  }

  function turns(before, prompt) {
    const pairs = before === null ? chat(prompt).map((turn) => [turn, turn]) : paired(chat(before), chat(prompt));
    const labelled = Array.isArray(prompt) || Array.isArray(before);
    if (!labelled && before === prompt) return [el("p", { class: "quiet", text: "Prompt as in the original." })];
    return pairs.map(([old, now]) => {
      if (before !== null && old && now && old[1] === now[1]) return el("p", { class: "turn quiet", text: `${now[0]}: as in the original` });
      const [was, is] = [old, now].map((turn) => (turn ? text(turn[1]) : ""));
      const said = el("div", { class: ALIGNED.test(was || is) ? "said code" : "said" }, ...diffNodes(was, is));
      if (!labelled) return said;
      const role = (now || old)[0] + (old ? "" : " (a new turn)") + (now ? "" : " (a turn that was removed)");
      return el("div", { class: "turn" }, el("div", { class: "role", text: role }), said);
    });
  }

  function options(original, row) {
    return el("ol", { class: "options", "aria-label": "Options in the order shown" }, ...row.choices.map((choice, place) => {
      const from = original && row.order.length === row.choices.length ? row.order[place] : place;
      const old = original && from < original.choices.length ? text(original.choices[from]) : text(choice);
      const [right, moved] = [row.target === place, original !== null && from !== place];
      return el("li", { class: right ? "right" : null }, el("span", { class: "letter", text: letter(place) }),
        el("span", null, el("span", { class: "text" }, ...diffNodes(old, text(choice))),
          right ? " " : null, right ? el("span", { class: "mark", text: "✓ right answer" }) : null,
          moved ? " " : null, moved ? el("span", { class: "was", text: `was ${letter(from)}` }) : null));
    }));
  }

  // ---- copying an id, written as it stands in the file

  function copyButton(row) {
    const id = JSON.stringify(text(row.id)).slice(1, -1);
    const button = el("button", { type: "button", class: "plain", text: "Copy id", "aria-label": `Copy id ${text(row.id)}`, on: { click: async () => {
      const done = await copied(id);
      byId("said").textContent = done ? `Copied ${id}` : `This browser does not let the page copy. The id is ${id}`;
      button.textContent = done ? "Copied" : id;
      if (done) setTimeout(() => { button.textContent = "Copy id"; }, 2000);
    } } });
    return button;
  }

  async function copied(words) {
    try {
      await navigator.clipboard.writeText(words);
      return true;
    } catch {
      const field = el("textarea", { class: "unseen", readonly: "" });
      field.value = words;
      const before = document.activeElement;
      document.body.append(field);
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      before.focus();
      return done;
    }
  }

  // ---- counts of the whole file

  function countTable(title, head, rows) {
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, el("table", null, el("caption", { text: title }),
      el("thead", null, el("tr", null, ...head.map((name) => el("th", { scope: "col", text: name })))),
      el("tbody", null, ...rows.map(([name, ...numbers]) => el("tr", null, el("th", { scope: "row", text: name }),
        ...numbers.map((number) => el("td", { text: number.toLocaleString("en") })))))));
  }

  function summary() {
    const none = items.filter((item) => item.none).length;
    byId("sum").textContent = `${many(items.length, "item")}: ${inWords(tally(everyRow))}. `
      + (none ? `${many(none, "item")} with no accepted variant.` : "Every item has an accepted variant.");
    byId("source").textContent = data.source;
    byId("command").textContent = `otherwords vet ${data.source} --decisions ${fileName()}`;
    const families = data.kinds.map((_, kind) => [kind, everyRow.filter((row) => row.kind === kind)]).filter(([, rows]) => rows.length)
      .map(([kind, rows]) => [familyName(kind), ...STATUSES.map((name) => tally(rows)[name])]);
    const objecting = (status) => data.checks.map((name, check) => [name, everyRow.filter((row) => row.objections.some((one) => one.check === check && one.status === status)).length])
      .filter(([, count]) => count).sort((a, b) => b[1] - a[1]);
    const [failed, flagged] = [objecting("fail"), objecting("flag")];
    byId("counts").replaceChildren(
      families.length ? countTable("Variants by family", ["Family", ...STATUSES], families) : el("p", { class: "quiet", text: "The file holds no variants." }),
      failed.length ? countTable("Rejected variants by failed check (one may fail several)", ["Check", "rejected"], failed)
        : el("p", { class: "quiet", text: "No check failed." }),
      ...(flagged.length ? [countTable("Variants by check that asks for a look (several may)", ["Check", "flagged"], flagged)] : []));
  }

  const set = (name, read) => (event) => { filters[name] = read(event.target); opened = new Set(); update(); };
  byId("find").addEventListener("input", set("find", (field) => field.value));
  ["family", "status", "check"].forEach((name) => byId(name).addEventListener("change", set(name, (field) => field.value)));
  byId("none").addEventListener("change", set("none", (field) => field.checked));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    filters = noFilters();
    opened = new Set();
    byId("find").value = "";
    byId("none").checked = false;
    update();
    byId("find").focus();
  });
  // A browser may remember what was chosen when the page is loaded again.
  byId("find").value = "";
  byId("none").checked = false;
  byId("deciding").hidden = !everyRow.some((row) => row.status !== "missing" && isOpen(row));
  summary();
  update();
  showDecided();
})();
