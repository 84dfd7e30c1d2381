// The dialog of the links with which others play and watch. The server makes them; only the owner gets them.
import {html} from "./lit-html.js";
import {dialogHead, icon} from "./header.js";
import {say} from "./words.js";

export function linksDialog(app) {
  return html`<form method="dialog">
    ${dialogHead(say("Links"))}
    <p>${say("Who has a link can use it. HTTP is not encrypted.")}</p>
    ${app.table.links.map(([whose, link]) => html`<label class="field"><span>${say(whose)}</span><input readonly .value=${link}>
      <button @click=${() => app.copy(link)}>${icon("copy")}${say("Copy")}</button></label>`)}
  </form>`;
}
