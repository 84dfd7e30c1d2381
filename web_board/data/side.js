// Beside the board: what is going on, what can be done, panels, a field for typed moves, and the list of moves.
import {html, nothing} from "./lit-html.js";
import {button, icon, optionsOf, reason} from "./controls.js";
import {say, translated} from "./words.js";

// What is open beside the game. Each panel is the class Panel of a script that is loaded when it is opened first. It has
// draw(), receive(message), look(), which is called when another position is shown, arrows() for the board, and close().
// One that lets the person move pieces beside the game, `player`, also has `at`, plies(), table(), play(text), go(at),
// steps() and statusText(); see tries.js.
export class Panels {
  constructor(app) {
    this.app = app;
    this.opened = new Map(); // by script
  }

  has(script) {
    return this.opened.has(script);
  }

  get player() {
    return [...this.opened.values()].find((panel) => panel.play) ?? null;
  }

  async openPanel(script) {
    const {id} = this.app.table;
    try {
      const {Panel} = await import(script);
      if (id === this.app.table.id && !this.has(script)) this.opened.set(script, new Panel(this.app));
    } catch {
      this.app.refuseLost();
    }
    this.app.render();
  }

  // Closes one panel, or all.
  close(script) {
    for (const [name, panel] of [...this.opened]) {
      if (script && name !== script) continue;
      this.opened.delete(name);
      panel.close();
    }
  }

  // Closes one as the person wants it.
  end(script) {
    this.close(script);
    this.lookBeside(this.player);
    this.app.cancel();
  }

  receive(message) {
    for (const panel of this.opened.values()) panel.receive(message);
  }

  look() {
    for (const panel of this.opened.values()) panel.look();
  }

  // The same for all but the one that shows it.
  lookBeside(own) {
    for (const panel of this.opened.values()) if (panel !== own) panel.look();
  }

  arrows() {
    return [...this.opened.values()].flatMap((panel) => panel.arrows());
  }

  draw() {
    return [...this.opened.values()].map((panel) => panel.draw());
  }
}

export function side(app) {
  if (app.shownAside?.choose) return app.aside.view();
  return html`${app.shownAside ? app.aside.view() : game(app)}
    ${typedMove(app)}
    ${moveList(app)}
    ${extras(app)}`;
}

function game(app) {
  return html`
    <div class="card">
      ${app.watched ? watchedGames(app) : ""}
      <p class="status ${app.table.verdict ? "over" : ""}" id="status">${app.statusText()}</p>
      ${reason(app)}
      ${choices(app)}
      ${actions(app)}
    </div>
    ${app.review?.view() ?? ""}
    ${app.panels.draw()}`;
}

// What a person can do in place of a move on the board.
function choices(app) {
  const button = ([text, words]) => html`<button type="button" class="main" data-act=${text} ?disabled=${app.isLost}
    @click=${() => app.act("move", {text})}>${say(words)}</button>`;
  const all = Object.entries(app.table.choices);
  return all.length ? html`<div class="row-of">${all.map(button)}</div>` : "";
}

// The games that others play, to choose from.
function watchedGames(app) {
  const {games, chosen} = app.watched, none = chosen === null ? [["-", ""]] : [];
  return html`<select aria-label=${say("Game")} @change=${(event) => app.watch(event.target.value)}>
    ${optionsOf([...none, ...games.map(([key, title]) => [key, say(title)])], chosen ?? "-")}</select>`;
}

function actions(app) {
  const {table} = app;
  const action = (name, text, act = () => app.act(name)) => button(name, text, act, {isOff: app.isLost || !table.can.has(name)});
  return html`<div class="actions">
    ${action("undo", say("Undo"))}
    ${action("hint", app.isHinting ? say("Thinking …") : say("Hint"))}
    ${table.can.has("pass") ? action("pass", say("Pass")) : ""}
    ${table.hasDraws ? action("draw", say("Draw")) : ""}
    ${action("resign", app.isResigning ? say("Really?") : say("Resign"), () => app.resign())}
    ${panelButton(app, "analyse", "./analysis.js", say("Analyse"), table.whyNoAnalysis)}
    ${table.canTry ? panelButton(app, "try", "./tries.js", say("Try moves"), "") : ""}
    ${table.can.has("review") ? action("review", say("Review")) : ""}
    ${button("flip", say("Flip"), () => app.place.flip())}
    ${app.place.needsZoom() ? button("zoom", say("Zoom"), () => app.place.zoom(), {look: "zoom", isPressed: app.place.isZoomed}) : ""}
  </div>`;
}

// Opens or closes a panel. `why`: why that is not possible now; '': it is.
function panelButton(app, name, script, text, why) {
  const {panels} = app, isOpen = panels.has(script);
  const toggle = () => {
    if (why) app.refuse(translated(why));
    else if (!isOpen) panels.openPanel(script);
    else panels.end(script);
  };
  return button(name, text, toggle, {isPressed: isOpen});
}

function typedMove(app) {
  const submit = (event) => {
    event.preventDefault();
    const field = event.target.elements.move, text = field.value.trim();
    if (text) app.typed(text);
    field.value = "";
  };
  return html`<form class="type-move" @submit=${submit} autocomplete="off">
    <input name="move" id="typed" aria-label=${say("Type a move")} placeholder=${translated(app.table.typedExample).replace(/^a move (as )?/, "")} spellcheck="false" autocapitalize="off">
    <button>${say("Play")}</button>
  </form>`;
}

function moveList(app) {
  const {table} = app, columns = table.sides.length, steps = app.steps();
  const step = (name, text) => html`<button type="button" data-step=${name} aria-label=${text} title=${text}
    ?disabled=${steps[name] === undefined} @click=${() => app.goTo(steps[name])}>${icon(name)}</button>`;
  return html`<div class="card moves">
    <div class="row-of"><h2>${say("Moves")}</h2>${notationChoice(app)}</div>
    ${table.ply ? html`<ol class=${columns > 2 ? "four" : ""} id="moves" tabindex="0" aria-label=${say("Moves")}>${rows(app, columns)}</ol>` : html`<p class="empty">${say("No move yet.")}</p>`}
    <div class="steps">
      ${step("first", say("To the start"))}${step("back", say("One move back"))}
      ${step("next", say("One move forward"))}${step("last", say("To the last move"))}
    </div>
  </div>`;
}

// Cells of a grid: the number of the round, then the sides' moves.
function rows(app, columns) {
  const cells = [];
  let column = columns, round = 0;
  app.table.moves.forEach((move, index) => {
    if (move.seat < column) {
      for (; column < columns; column += 1) cells.push(html`<li></li>`);
      round += 1;
      cells.push(html`<li class="number" aria-hidden="true">${round}.</li>`);
      column = 0;
    }
    for (; column < move.seat; column += 1) cells.push(html`<li></li>`);
    cells.push(moveCell(app, move, index + 1));
    column += 1;
  });
  return cells;
}

function moveCell(app, move, ply) {
  return html`<li><button type="button" data-ply=${ply} tabindex="-1" aria-current=${app.shownPly() === ply ? "true" : nothing}
    title=${move.ms === null ? "" : `${(move.ms / 1000).toFixed(1)} s`} @click=${() => app.view(ply)}>${app.look.moveName(move)}${app.review?.signOf(ply) ?? ""}</button></li>`;
}

function notationChoice(app) {
  const names = app.table.notations;
  if (names.length < 2) return "";
  return html`<select aria-label=${say("Notation")} @change=${(event) => app.chooseNotation(event.target.value)}>
    ${optionsOf(names.map((name) => [name, say(name)]), app.look.notation())}</select>`;
}

function extras(app) {
  const {table} = app;
  return html`<div class="row-of">
    ${table.fen && !(app.review?.focus && (app.aside || app.review.focus.step || app.review.line().base === app.review.focus.ply)) && (app.isOwner() || app.ply === null) ? button("copy", say("Position"), () => app.copyPosition()) : ""}
    ${table.ply ? button("copy", say("Moves"), () => app.copy(app.table.moves.map((move) => app.look.moveName(move)).join(" "))) : ""}
    ${levelChoice(app)}
    ${table.remarks.map((remark) => html`<p class="remark">${translated(remark)}</p>`)}
  </div>`;
}

function levelChoice(app) {
  const {table} = app, now = table.seats.find((seat) => seat.level)?.level;
  if (!table.levels.length || !now || !app.isOwner() || app.aside) return "";
  return html`<label class="row-of"><span>${say("Level")}</span>
    <select id="level" @change=${(event) => app.setLevel(event.target.value)}>
    ${optionsOf(table.levels.map((level) => [level, say(level)]), now)}</select></label>`;
}
