// The smaller dialogs: what to save, the links for others, a guess about a hidden piece, and the settings.
import {html} from "./lit-html.js";
import {choice, dialogHead, icon} from "./controls.js";
import {say} from "./words.js";
import {language, set, setting} from "./settings.js";

export function saveDialog(app) {
  return html`<form method="dialog">
    ${dialogHead(say("Save the game"))}
    <div class="row-of">${app.table.formats.map((format) => html`<button data-format=${format}
      @click=${() => app.send({type: "save", format})}>.${format}</button>`)}</div>
    <p>${say("A picture of the board")}</p>
    <div class="row-of">${["svg", "png"].map((kind) => html`<button data-picture=${kind}
      @click=${async () => (await import("./picture.js")).savePicture(app.table.game, kind)}>.${kind}</button>`)}</div>
  </form>`;
}

// The links with which others play and watch. The server makes them; only the owner gets them.
export function linksDialog(app) {
  return html`<form method="dialog">
    ${dialogHead(say("Links"))}
    <p>${say("Who has a link can use it. HTTP is not encrypted.")}</p>
    ${app.table.links.map(([whose, link]) => html`<label class="field"><span>${say(whose)}</span><input readonly .value=${link}></label>
      <button aria-label=${say("Copy: {0}", say(whose))} @click=${() => app.copy(link)}>${icon("copy")}${say("Copy")}</button>`)}
  </form>`;
}

// The dialog in which a person marks a hidden piece. It sends nothing.
export function guessMenu(app, point) {
  return html`<form method="dialog">
    ${dialogHead(say("Your guess for {0}", app.look.pointName(point)))}
    <div class="guesses">
      ${app.table.guessChoices().map(([text, name]) => html`<button type="button" data-guess=${text}
        @click=${() => app.guess(point, text)}>${text}${name ? html`<small>${name}</small>` : ""}</button>`)}
    </div>
    <div class="foot"><button type="button" data-guess="" @click=${() => app.guess(point, "")}>${say("No guess")}</button></div>
  </form>`;
}

// Settings. Each takes effect at once

function check(name, title, value, choose) {
  return html`<label class="field check"><input type="checkbox" name=${name} ?checked=${value} @change=${choose}>
    <span>${title}</span></label>`;
}

export function preferences(app) {
  const valueOf = ({type, checked, value}) => type === "checkbox" ? checked : value;
  const keep = (name) => ({target}) => { set(name, valueOf(target)); app.settingsChanged(); };
  const keepForGame = (name) => ({target}) => { app.look.set(name, valueOf(target)); app.settingsChanged(); };
  return html`<form method="dialog">
    ${dialogHead(say("Settings"))}
    <div class="fields">
      ${choice("language", say("Language"), language(), [["en", "English"], ["zh", "中文"]], keep("language"))}
      ${choice("theme", say("Colours"), setting("theme"), [["auto", say("as the system")], ["light", say("light")], ["dark", say("dark")]], keep("theme"))}
      ${choice("contrast", say("Contrast"), setting("contrast"), [["", say("as the system")], ["usual", say("usual")], ["more", say("high")]], keep("contrast"))}
      ${app.table ? ofGame(app, keepForGame) : ""}
      ${check("sounds", say("Sounds"), setting("sounds"), keep("sounds"))}
      ${check("targets", say("Show where a piece can go"), setting("targets"), keep("targets"))}
    </div>
    <div class="foot"><button class="main">${say("Close")}</button></div>
  </form>`;
}

function ofGame(app, keep) {
  const {table} = app, hasLetters = [...table.board.letters].some(Boolean), labels = Object.keys(table.labels);
  return [
    hasLetters ? choice("faces", say("Pieces"), app.look.faces(), [["text", say("Chinese")], ["letter", say("Western")], ["both", say("both")]], keep("faces")) : "",
    labels.length > 1 ? choice("labels", say("Coordinates"), app.look.labelsName(), labels.map((name) => [name, say(name)]), keep("labels")) : "",
    hasLetters ? "" : check("numbers", say("Numbers on the stones"), app.look.get("numbers"), keep("numbers")),
  ];
}
