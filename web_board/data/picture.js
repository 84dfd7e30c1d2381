// The board as a picture: SVG with its styles in it, or PNG.
import {give} from "./files.js";

const PIXELS = 1200; // of the longer side
const INHERITED = ["fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin",
  "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "paint-order", "visibility"];
const OWN = {opacity: "1", display: "inline"};

// A copy of a board that needs no style sheet.
function pictureOf(svg) {
  const copy = svg.cloneNode(true);
  addStyles(svg, copy, null);
  copy.querySelectorAll(".points").forEach((node) => node.remove());
  const [left, top, width, height] = svg.getAttribute("viewBox").split(" ").map(Number), scale = PIXELS / Math.max(width, height);
  copy.setAttribute("width", Math.round(width * scale));
  copy.setAttribute("height", Math.round(height * scale));
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  const colour = getComputedStyle(svg).getPropertyValue("--wood").trim();
  Object.entries({x: left, y: top, width, height, fill: colour}).forEach(([name, value]) => ground.setAttribute(name, value));
  copy.prepend(ground);
  return copy;
}

function addStyles(from, to, parent) {
  const style = getComputedStyle(from);
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name);
    if (!parent || value !== parent.getPropertyValue(name)) to.setAttribute(name, value);
    else to.removeAttribute(name);
  }
  for (const [name, usual] of Object.entries(OWN)) if (style.getPropertyValue(name) !== usual) to.setAttribute(name, style.getPropertyValue(name));
  [...from.children].forEach((child, at) => addStyles(child, to.children[at], style));
}

export async function savePicture(name, kind) {
  const picture = pictureOf(document.getElementById("board"));
  const text = new XMLSerializer().serializeToString(picture);
  if (kind === "svg") { give(`${name}.svg`, new Blob([text], {type: "image/svg+xml"})); return; }
  const image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  canvas.toBlob((blob) => give(`${name}.png`, blob), "image/png");
}
