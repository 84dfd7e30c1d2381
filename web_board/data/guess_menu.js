// The dialog in which a person marks a hidden piece with a guess. It sends nothing.
import {html} from "./lit-html.js";
import {dialogHead} from "./preferences.js";
import {say} from "./words.js";

export function guessMenu(app, point) {
  return html`<form method="dialog">
    ${dialogHead(say("Your guess for {0}", app.pointName(point)))}
    <div class="guesses">
      ${app.table.guessChoices().map(([text, name]) => html`<button type="button" data-guess=${text}
        @click=${() => app.guess(point, text)}>${text}${name ? html`<small>${name}</small>` : ""}</button>`)}
    </div>
    <div class="foot"><button type="button" data-guess="" @click=${() => app.guess(point, "")}>${say("No guess")}</button></div>
  </form>`;
}
