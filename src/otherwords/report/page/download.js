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
const WIDE = 1950; // 6.5 inches of 300 dots, as the files beside the page

async function picture(svg) {
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const scale = Math.min(WIDE / width, MOST_PIXELS / Math.max(width, height));
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
