// The top of the page.
import {html} from "./lit-html.js";
import {icon} from "./controls.js";
import {say} from "./words.js";

const SMALL = "./small_dialogs.js";

export function header(app) {
  const {table} = app;
  const button = (name, text, act) => html`<button type="button" data-act=${name} @click=${act} aria-label=${text} title=${text}>
    ${icon(name)}<span class="label">${text}</span></button>`;
  return html`
    <h1><img src="icon.svg" alt=""><span>sanqi</span><small>${table ? say(table.title) : app.reason}</small></h1>
    ${app.isOwner() ? [button("new", say("New game"), () => app.openSetup()), button("open", say("Open"), () => app.pickFile())] : ""}
    ${app.isOwner() && table && !app.shownAside ? button("save", say("Save"), () => app.dialogs.openFrom(SMALL, "saveDialog")) : ""}
    ${table?.links?.length ? button("links", say("Links"), () => app.dialogs.openFrom(SMALL, "linksDialog")) : ""}
    ${app.isOwner() && !app.aside ? button("practise", say("Practise"), () => app.practise(null)) : ""}
    ${button("settings", say("Settings"), () => app.dialogs.openFrom(SMALL, "preferences"))}
    ${app.isLost ? html`<p class="notice" id="lost" role="alert">${say("Connection lost. Trying again …")}</p>` : ""}`;
}
