// In place of the game: the person sets up the position or the lineup that a game begins with.
import {html} from "./lit-html.js";
import {GLYPHS, SYMBOLS} from "./faces.js";
import {button, choice, icon, optionsOf, reason} from "./controls.js";
import {alarm, speak} from "./speech.js";
import {say, translated} from "./words.js";

const REMOVES = -1; // as a tool

export class Editor {
  // `choices`: the fields of the message `new`.
  constructor(app, choices, follows) {
    this.app = app;
    this.choices = choices;
    this.follows = follows;
    this.text = "";    // what is shown, as text
    this.board = "";   // the text that the board was made for
    this.fault = "";   // why no game can begin so
    this.remark = "";  // what is unusual
    this.tool = null;  // the kind of piece that a click puts, or REMOVES; null: clicks move pieces
    this.lineups = {}; // texts by name
    this.name = "";    // of a lineup
    app.send({type: "lineups"});
  }

  get hasLineup() {
    return !this.app.table.canTry;
  }

  // Messages

  // After a lost connection the text is asked for again.
  ask(fields = {text: this.text}) {
    this.app.send({type: "set-up", ...this.choices, text: this.board, ...fields});
  }

  take({text, fault, remarks, geometry, state, lineups}) {
    this.lineups = lineups ?? this.lineups;
    if (fault && !geometry && !this.isShown) { this.app.takeError({reason: fault}); return; } // of an option
    if (geometry) {
      this.isShown = true;
      this.board = text;
      this.app.showTable(geometry, state);
    }
    if (!lineups) this.tell(text, fault, remarks.join(" "));
    this.app.render();
  }

  // Says what is new; all of it, if the person gave the text.
  tell(text, fault, remark) {
    const {isGiven} = this;
    if (fault && (isGiven || fault !== this.fault)) alarm(translated(fault));
    else if (remark && (isGiven || remark !== this.remark)) speak(translated(remark));
    else if (isGiven) speak(say("Shown on the board."));
    Object.assign(this, {text, fault, remark, isGiven: false});
  }

  load(text) {
    Object.assign(this, {text, isGiven: true});
    this.ask({text});
  }

  // The board

  // The points whose pieces can be moved by clicks.
  mine(pieces) {
    const {table} = this.app;
    return new Set(this.tool === null ? [...pieces.keys()].filter((point) => !table.isHidden(pieces.get(point))) : []);
  }

  choose(point) {
    const {app, tool} = this, {chosen} = app, pieces = new Map(app.place.pieces), isMine = this.mine(pieces).has(point);
    const kind = pieces.get(point), isChoice = tool === null && (chosen === null || chosen === point || (this.hasLineup && !isMine));
    app.chosen = isChoice && isMine && chosen !== point ? point : null;
    if (isChoice) { app.render(); return; }
    pieces.set(point, tool ?? pieces.get(chosen));
    if (tool === REMOVES || tool === kind) pieces.delete(point);
    if (tool === null && this.hasLineup) pieces.set(chosen, kind);
    else if (tool === null) pieces.delete(chosen);
    this.change(pieces);
  }

  // A piece is dropped beside the board.
  remove(point) {
    const pieces = new Map(this.app.place.pieces);
    this.app.chosen = null;
    if (!this.hasLineup) pieces.delete(point);
    this.change(pieces);
  }

  change(pieces) {
    const {table} = this.app;
    Object.assign(table, {start: BoardView.startText(pieces), danger: [], row: []});
    this.app.render();
    this.ask({pieces: [...pieces], toMove: table.toMove});
  }

  takeUp(tool) {
    this.tool = this.tool === tool ? null : tool;
    this.app.cancel();
  }

  // Beside the board

  view() {
    const {app, hasLineup} = this, {table} = app;
    return html`<div class="card editor">
      <h2>${say(app.games().find(({name}) => name === table.game).setUp)}</h2>
      ${reason(app, translated(this.fault))}<p class="remark" id="remark">${translated(this.remark)}</p>
      ${hasLineup ? this.stored() : this.palette()}
      <label class="field"><span>${say("As text")}</span><input id="position" .value=${this.text} spellcheck="false" @change=${({target}) => this.load(target.value)}></label>
      <div class="actions">
        ${button("copy", say("Copy"), () => app.copy(this.text))}
        ${button("first", hasLineup ? say("Random") : say("Start"), () => this.load(""))}
        ${hasLineup ? "" : button("clear", say("Clear"), () => this.change(new Map()))}
        ${button("flip", say("Flip"), () => app.place.flip())}
        ${button("close", say("End"), () => app.leaveAside())}
        ${button("next", say("Begin"), () => app.begin({...this.choices, start: this.text}, this.follows), {look: "main", isOff: this.fault})}
      </div>
    </div>`;
  }

  palette() {
    const {app} = this, {table} = app, {board} = table;
    const tool = (number, name, content, look = "") => html`<button type="button" class=${look} data-tool=${number} aria-label=${name} title=${name}
      aria-pressed=${this.tool === number} @click=${() => this.takeUp(number)}>${content}</button>`;
    const face = (text, look, letter) => text ? html`<svg class="man ${look}" viewBox="-250 -250 500 500" aria-hidden="true"><path fill-rule="evenodd"
      d=${app.look.faces() === "letter" ? SYMBOLS[letter] : GLYPHS[text]}></path></svg>` : html`<span class="swatch ${look}"></span>`;
    const turn = ({target}) => { table.toMove = Number(target.value); this.change(app.place.pieces); };
    return html`<div class="palette">${board.kinds.map(([text, , look], at) => look === "blocked" ? "" :
        tool(at, table.pieceName(at), face(text, look, board.letters[at]), text && look))}${tool(REMOVES, say("Remove"), icon("close"))}</div>
      ${choice("to-move", say("To move"), table.toMove, table.sides.map((side, at) => [at, say(side)]), turn)}`;
  }

  // Lineups that are stored by name.
  stored() {
    const {app, lineups, name} = this, names = Object.keys(lineups);
    const take = ({target}) => { this.name = target.value; if (this.name) this.load(lineups[this.name]); };
    return html`<p>${say("Choose two pieces to exchange them.")}</p>
      <div class="row-of">${names.length ? html`<select id="lineups" aria-label=${say("Stored lineups")} @change=${take}>
        ${optionsOf([["", say("Stored lineups")], ...names.map((each) => [each, each])], name)}</select>` : ""}
      <input id="lineup-name" maxlength="60" aria-label=${say("Name")} placeholder=${say("Name")} .value=${name} @input=${({target}) => { this.name = target.value; app.render(); }}>
      ${button("save", say("Save"), () => app.send({type: "keep-lineup", name, text: this.text}), {isOff: !name || this.fault})}
      ${button("clear", say("Remove"), () => app.send({type: "drop-lineup", name}), {isOff: !(name in lineups)})}</div>`;
  }
}
