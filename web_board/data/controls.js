// Parts of panels and dialogs: buttons with icons, the top of a dialog, choices.
import {html, nothing} from "./lit-html.js";
import {say} from "./words.js";

// The icons, our own, 24 units wide.
const PATHS = {
  new: "M12 5v14M5 12h14",
  open: "M3 18V6h6l2 2h9v3M3 18l3-7h15l-3 7z",
  save: "M12 4v11m0 0l-4-4m4 4l4-4M5 19h14",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4M4 12h16",
  undo: "M9 6L4 11l5 5M4 11h9a6 6 0 0 1 6 6v1",
  hint: "M9 18h6M10 21h4M8 14a6 6 0 1 1 8 0c-1 1-1 2-1 2H9s0-1-1-2z",
  resign: "M6 21V4h11l-2 4 2 4H6",
  draw: "M7 9h10M7 15h10",
  flip: "M8 4v16m0 0l-4-4m4 4l4-4M16 20V4m0 0l-4 4m4-4l4 4",
  zoom: "M10.5 4a6.5 6.5 0 1 0 .1 0zM15.5 15.5L21 21M7.5 10.5h6M10.5 7.5v6",
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M17 5l-10 7 10 7z",
  next: "M7 5l10 7-10 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  close: "M6 6l12 12M18 6L6 18",
  clear: "M9 5h11v14H9l-6-7zM11 9l6 6m0-6l-6 6",
  links: "M9 15l6-6M11 7l3-3a4 4 0 0 1 6 6l-3 3M13 17l-3 3a4 4 0 0 1-6-6l3-3",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  analyse: "M4 20V4M4 20h16M7 15l4-5 3 3 5-7",
  try: "M6 4v16M6 9h5a4 4 0 0 1 4 4v3m0 0l-3-3m3 3l3-3",
  review: "M4 19h16M5 15l4-5 4 3 6-8",
  practise: "M12 4a8 8 0 1 0 .1 0zM12 8.5a3.5 3.5 0 1 0 .1 0z",
  pass: "M5 12h14m0 0l-5-5m5 5l-5 5",
};

export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]}></path></svg>`;
}

// A button with the icon of this name.
export function button(name, text, act, {isOff = false, look = nothing, isPressed = nothing} = {}) {
  return html`<button type="button" class=${look} data-act=${name} aria-pressed=${isPressed} ?disabled=${isOff} @click=${act}>${icon(name)}${text}</button>`;
}

export function dialogHead(title) {
  return html`<div class="head"><h2 id="dialog-title">${title}</h2>
    <button class="plain" value="cancel" formnovalidate aria-label=${say("Close")}>${icon("close")}</button></div>`;
}

// Why something was refused, or a notice. `fault`: what is wrong all the time.
export function reason(app, fault = "") {
  return html`<p class=${app.isNotice && !fault ? "reason note" : "reason"} id="reason">${fault || app.reason}</p>`;
}

// The top of a panel: its title, what is beside it, and the button that closes it. `end`: the words of that button.
export function panelHead(app, script, title, end, beside) {
  return html`<div class="row-of"><h2>${title}</h2>${beside}<button type="button" class="plain" data-act="end" aria-label=${end} title=${end}
    @click=${() => app.panels.end(script)}>${icon("close")}</button></div>`;
}

// What a select element can be set to: pairs of a value and its text.
export function optionsOf(pairs, value) {
  return pairs.map(([each, text]) => html`<option value=${each} .selected=${String(each) === String(value)}>${text}</option>`);
}

// A field of a form in which one of them is chosen.
export function choice(name, title, value, pairs, choose, note = "") {
  return html`<label class="field"><span>${title}</span><select name=${name} @change=${choose}>
    ${optionsOf(pairs, value)}</select>${note}</label>`;
}
