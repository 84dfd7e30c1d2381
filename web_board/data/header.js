// The top of the page: name, connection, and what opens a dialog.
import {html} from "./lit-html.js";
import {icon} from "./icons.js";
import {say} from "./words.js";

export function header(app) {
  const {table} = app;
  const button = (name, text, act) => html`<button type="button" data-act=${name} @click=${act} aria-label=${text} title=${text}>
    ${icon(name)}<span class="label">${text}</span></button>`;
  return html`
    <h1><img src="icon.svg" alt=""><span>sanqi</span>${table ? html`<small>${app.title()}</small>` : ""}</h1>
    ${app.isOwner() ? [button("new", say("New game"), () => app.openSetup()), button("open", say("Open"), () => app.pickFile())] : ""}
    ${app.isOwner() && table ? button("save", say("Save"), () => app.openSave()) : ""}
    ${button("settings", say("Settings"), () => app.openPreferences())}
    ${app.isLost ? html`<p class="notice" id="lost" role="alert">${say("Connection lost. Trying again …")}</p>` : ""}`;
}
