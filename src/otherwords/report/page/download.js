// Saving what is shown, as a picture, a drawing or numbers. Nothing leaves the page but the file that was asked for.

// A spreadsheet would run a text that starts like a formula; an apostrophe makes it text.
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[ \t\r\n]*[=+\-@＝＋－＠]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

const csvText = (rows) => rows.map((row) => `${row.map(csvCell).join(",")}\n`).join("");

const MOST_PIXELS = 12000; // a side of a picture; browsers refuse much larger ones

async function picture(svg) {
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const scale = Math.min(2, MOST_PIXELS / Math.max(width, height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = el("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

// Gives `place` its buttons. `svg` may be null where there is nothing to draw; both are asked only on a click.
function offer(place, name, { svg, csv }) {
  const what = place.dataset.what;
  const acts = {
    png: async () => save(`${name}.png`, await picture(svg()), "image/png"),
    svg: () => save(`${name}.svg`, new XMLSerializer().serializeToString(svg()), "image/svg+xml"),
    csv: () => save(`${name}.csv`, csv(), "text/csv"),
  };
  if (!place.querySelector("button")) {
    place.append(...Object.keys(acts).filter((kind) => svg || kind === "csv").map((kind) => el("button", { type: "button", "data-save": kind, text: kind.toUpperCase() })));
  }
  place.prepend(el("span", { class: "quiet", text: "Save as" }));
  place.querySelectorAll("button").forEach((button) => {
    button.setAttribute("aria-label", `Save “${what}” as ${button.dataset.save.toUpperCase()}`);
    button.addEventListener("click", acts[button.dataset.save]);
  });
}

// ---- drawings of what the page itself lays out

const PRINT = {
  s0: ["#b5470a", "#ffffff"], s1: ["#eab38f", "#1f2430"], s2: ["#efe8d8", "#1f2430"], s3: ["#9cc5e6", "#1f2430"],
  s4: ["#0f6cb0", "#ffffff"], none: ["#d5d8de", "#1f2430"], ink: "#1f2430", quiet: "#5a6273", line: "#e2e3e6",
};

function shape(tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  if (text !== undefined) node.textContent = text;
  return node;
}

const shorter = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

// A white sheet with a title and lines under it; `draw(add)` fills it from y = 90 on.
function sheet(width, height, title, lines, draw) {
  const svg = shape("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "Liberation Sans, Arial, Helvetica, sans-serif" });
  const add = (tag, attributes, text) => { svg.append(shape(tag, attributes, text)); };
  add("rect", { width, height, fill: "#ffffff" });
  add("text", { x: 20, y: 36, "font-size": 18, "font-weight": "bold", fill: PRINT.ink }, shorter(title, Math.floor(width / 11)));
  lines.forEach((line, i) => add("text", { x: 20, y: 54 + 17 * i, "font-size": 12, fill: PRINT.quiet }, shorter(line, Math.floor(width / 6.4))));
  draw(add);
  return svg;
}
