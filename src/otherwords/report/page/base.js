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

const words = (prompt) => prompt.match(/\s+|[\p{L}\p{N}_]+(?:['’.,:/-][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}_]/gu) || [];

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

// Stretches of equal words, and of changed ones. Few equal words between longer changes are part of the change: a
// phrase that was reworded reads as two phrases, not as words of one scattered among words of the other.
function stretches(aligned) {
  const found = [];
  aligned.forEach((one) => {
    const same = one[0] === "same";
    const last = found[found.length - 1];
    if (last && last.same === same) last.words.push(one); else found.push({ same, words: [one] });
  });
  const size = (stretch, kind) => stretch.words.filter(([one, word]) => one === kind && word.trim()).length;
  const length = (stretch) => (stretch ? Math.max(size(stretch, "del"), size(stretch, "ins")) : 0);
  const joined = [];
  found.forEach((stretch, place) => {
    const before = joined[joined.length - 1];
    const equal = size(stretch, "same");
    const within = stretch.same && place > 0 && place < found.length - 1 && !stretch.words.some(([, word]) => word.includes("\n"));
    if (within && (equal === 0 || equal <= Math.min(2, length(before) - 1, length(found[place + 1]) - 1))) before.words.push(...stretch.words);
    else if (!stretch.same && before && !before.same) before.words.push(...stretch.words);
    else joined.push(stretch);
  });
  return joined;
}

const FEWEST_MOVED = 4; // words of a phrase that is told as moved

// [kind, text] parts: `same`, `del`, `ins`; and `from`, `to` for a phrase that stands elsewhere in the new wording.
function diff(before, after) {
  const parts = [];
  const add = (kind, word) => {
    const last = parts[parts.length - 1];
    if (last && last[0] === kind) last[1] += word; else if (word) parts.push([kind, word]);
  };
  stretches(alignedWords(words(before), words(after))).forEach(({ words: run }) => {
    const replaced = ["del", "ins"].every((kind) => run.some(([one, word]) => one === kind && word.trim()));
    const side = (other) => run.filter(([kind]) => kind !== other).map(([, word]) => word).join("");
    if (replaced) { add("del", side("ins")); add("ins", side("del")); } else run.forEach(([kind, word]) => add(kind, word));
  });
  const plain = (part) => (part[1].toLowerCase().match(/[\p{L}\p{N}]+/gu) || []);
  parts.filter(([kind]) => kind === "del").forEach((gone) => {
    const phrase = plain(gone);
    if (phrase.length < FEWEST_MOVED) return;
    const again = parts.find((part) => part[0] === "ins" && plain(part).join(" ") === phrase.join(" "));
    if (again) { gone[0] = "from"; again[0] = "to"; }
  });
  return parts;
}

// Changed blanks are shown. A removed line break breaks no line, so that the lines seen are those of the new wording.
function shownChange(kind, part) {
  const seen = part.trim() ? part : part.replace(/ /g, "·").replace(/\t/g, "→");
  return seen.replace(/\n/g, kind === "del" ? "↵" : "↵\n");
}

function changeNode(kind, part) {
  if (kind === "to") return el("ins", { class: "moved", title: "The same words as in the original, in another place", text: shownChange(kind, part) });
  if (kind === "from") return el("del", { class: "moved", title: part, text: `[moved: ${part.trim().split(/\s+/).slice(0, 3).join(" ")} …]` });
  return el(kind, { text: shownChange(kind, part) });
}

const diffNodes = (before, after) => diff(before, after).map(([kind, part]) =>
  (kind === "same" ? document.createTextNode(part) : changeNode(kind, part)));

// Hands a file to the reader. Nothing else leaves the page.
function save(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
