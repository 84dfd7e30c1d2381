// Who plays, whose turn it is, and the clocks.
import {html} from "./lit-html.js";
import {say} from "./words.js";

export function clockText(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000)), rest = String(seconds % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

// `seats`: their numbers, in the order in which they are shown.
export function seatsRow(app, seats) {
  return html`<div class="seats">${seats.map((seat) => seatCard(app, seat))}</div>`;
}

function seatCard(app, seat) {
  const {table} = app, isTurn = !table.verdict && table.toMove === seat, {who, level, isOut} = table.seats[seat];
  const ms = app.clockOf(seat);
  const details = [app.sideName(seat), level ? say("level {0}", say(level)) : "", isOut ? say("out") : "", isTurn ? (table.isThinking && !table.seats[seat].isPerson ? say("thinks …") : say("to move")) : ""];
  return html`<div class="seat ${isTurn ? "turn" : ""} ${isOut ? "out" : ""}" data-seat=${seat}>
    <span class="swatch ${table.lookOf(seat)}" aria-hidden="true"></span>
    <div class="who"><b>${say(who)}</b><span>${details.filter(Boolean).join(" · ")}</span></div>
    ${ms === null ? "" : html`<time class=${ms < 10000 && table.hasClocks ? "low" : ""}>${clockText(ms)}</time>`}
  </div>`;
}
