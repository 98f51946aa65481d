"use strict";
// What every page uses. All that is shown comes from the embedded data and is set as text, never as markup.

const byId = (id) => document.getElementById(id);
const embedded = () => JSON.parse(byId("data").textContent);

function el(tag, options, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options || {})) {
    if (name === "text") node.textContent = value;
    else if (name === "on") for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// ---- word diffs

const words = (prompt) => prompt.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) || [];

// [kind, word] for each word, by the longest common subsequence; very long changes are shown as replaced.
function alignedWords(a, b) {
  const found = [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  a.slice(0, start).forEach((word) => found.push(["same", word]));
  if (x.length * y.length > 4e6) {
    x.forEach((word) => found.push(["del", word]));
    y.forEach((word) => found.push(["ins", word]));
  } else {
    const width = y.length + 1;
    const best = new Uint16Array((x.length + 1) * width);
    for (let i = x.length - 1; i >= 0; i -= 1) {
      for (let j = y.length - 1; j >= 0; j -= 1) {
        best[i * width + j] = x[i] === y[j] ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
      }
    }
    let [i, j] = [0, 0];
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) { found.push(["same", x[i]]); i += 1; j += 1; }
      else if (i < x.length && (j === y.length || best[(i + 1) * width + j] >= best[i * width + j + 1])) { found.push(["del", x[i]]); i += 1; }
      else { found.push(["ins", y[j]]); j += 1; }
    }
  }
  a.slice(a.length - end).forEach((word) => found.push(["same", word]));
  return found;
}

// [kind, text] parts. Where words are replaced, the blanks between them go along, so that a phrase reads as a phrase.
function diff(before, after) {
  const parts = [];
  const add = (kind, word) => {
    const last = parts[parts.length - 1];
    if (last && last[0] === kind) last[1] += word; else if (word) parts.push([kind, word]);
  };
  let run = []; // changed words, and the blanks between them
  const flush = () => {
    const blanks = [];
    while (run.length && run[run.length - 1][0] === "same") blanks.unshift(run.pop());
    const replaced = ["del", "ins"].every((kind) => run.some(([one, word]) => one === kind && word.trim()));
    const side = (other) => run.filter(([kind]) => kind !== other).map(([, word]) => word).join("");
    if (replaced) { add("del", side("ins")); add("ins", side("del")); } else run.forEach(([kind, word]) => add(kind, word));
    blanks.forEach(([kind, word]) => add(kind, word));
    run = [];
  };
  for (const [kind, word] of alignedWords(words(before), words(after))) {
    if (kind !== "same" || (run.length && /^[^\S\n]+$/.test(word))) run.push([kind, word]);
    else { flush(); add(kind, word); }
  }
  flush();
  return parts;
}

// Changed blanks are shown. A removed line break breaks no line, so that the lines seen are those of the new wording.
function shownChange(kind, part) {
  const seen = part.trim() ? part : part.replace(/ /g, "·").replace(/\t/g, "→");
  return seen.replace(/\n/g, kind === "del" ? "↵" : "↵\n");
}

const diffNodes = (before, after) => diff(before, after).map(([kind, part]) =>
  (kind === "same" ? document.createTextNode(part) : el(kind, { text: shownChange(kind, part) })));

// Hands a file to the reader. Nothing else leaves the page.
function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
