// The dialog of settings. Each takes effect at once.
import {html} from "./lit-html.js";
import {dialogHead} from "./header.js";
import {say} from "./words.js";
import {language, set, setting} from "./settings.js";

function choice(name, title, value, values, choose) {
  return html`<label class="field"><span>${title}</span><select name=${name} @change=${(event) => choose(event.target.value)}>
    ${values.map(([each, text]) => html`<option value=${each} ?selected=${each === value}>${text}</option>`)}</select></label>`;
}

function check(name, title, value, choose) {
  return html`<label class="field check"><input type="checkbox" name=${name} ?checked=${value} @change=${(event) => choose(event.target.checked)}>
    <span>${title}</span></label>`;
}

export function preferences(app) {
  const keep = (name) => (value) => { set(name, value); app.settingsChanged(); };
  const keepForGame = (name) => (value) => { app.look.set(name, value); app.settingsChanged(); };
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
