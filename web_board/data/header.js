// The top of the page, with what opens a dialog, and the top of a dialog.
import {html} from "./lit-html.js";
import {icon} from "./icons.js";
import {say} from "./words.js";

export function header(app) {
  const {table} = app;
  const button = (name, text, act) => html`<button type="button" data-act=${name} @click=${act} aria-label=${text} title=${text}>
    ${icon(name)}<span class="label">${text}</span></button>`;
  return html`
    <h1><svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7"></rect><path d="M8 9h16M9 16h14M6 23h20"></path></svg><span>sanqi</span><small>${table?.title ?? app.reason}</small></h1>
    ${app.isOwner() ? [button("new", say("New game"), () => app.dialogs.openSetup()), button("open", say("Open"), () => app.pickFile())] : ""}
    ${app.isOwner() && table ? button("save", say("Save"), () => app.dialogs.openSave()) : ""}
    ${table?.links?.length ? button("links", say("Links"), () => app.dialogs.openLinks()) : ""}
    ${app.isOwner() && !app.practice ? button("practise", say("Practise"), () => app.practise(null)) : ""}
    ${button("settings", say("Settings"), () => app.dialogs.openPreferences())}
    ${app.isLost ? html`<p class="notice" id="lost" role="alert">${say("Connection lost. Trying again …")}</p>` : ""}`;
}

export function dialogHead(title) {
  return html`<div class="head"><h2 id="dialog-title">${title}</h2>
    <button class="plain" value="cancel" formnovalidate aria-label=${say("Close")}>${icon("close")}</button></div>`;
}
