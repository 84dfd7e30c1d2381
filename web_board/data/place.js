// The board with the seats around it: what it shows of the game, how it is turned and zoomed.
import {html, render} from "./lit-html.js";
import {LiveBoard} from "./live_board.js";
import {setting} from "./settings.js";
import {positionAfter} from "./table.js";
import {say, translated} from "./words.js";

const part = (id) => document.getElementById(id);
const SMALL_PIXELS = 24; // between points, for a finger

export class Place {
  constructor(app) {
    this.app = app;
    this.board = null;
    this.pieces = new Map(); // kinds by points, as they are shown
    this.homes = new Map();  // for each point with a piece, where it stood at first
    this.isZoomed = false;
  }

  // Makes the board of another game.
  open() {
    const {app} = this;
    this.board?.close();
    this.board = new LiveBoard(part("board"), app.table.board, {
      choose: (point) => app.choose(point), move: (from, to) => app.drop(from, to), cancel: () => app.cancel(),
      menu: (point) => app.openMenu(point), nameOf: (point, kind) => this.describe(point, kind),
    });
    this.settingsChanged();
  }

  get isOpen() {
    return this.board?.board === this.app.table.board;
  }

  settingsChanged() {
    const {board} = this, {look, table} = this.app;
    if (!board) return;
    board.faces = look.faces();
    board.texts = table.labels[look.labelsName()];
    board.turns = look.turns();
    board.drawGrid();
  }

  render() {
    this.showBoard();
    this.showSeats();
  }

  showSeats() {
    const {far, near} = this.app.table.seatsAround(this.app.look.turns());
    render(seatsRow(this.app, far), part("far-seats"));
    render(seatsRow(this.app, near), part("near-seats"));
  }

  showBoard() {
    const {board, app} = this, {table, chosen} = app, plies = app.shownPlies(), here = app.tableHere();
    const {pieces, homes, touched, numbers} = positionAfter(board, table.start, plies, plies.length);
    const mine = app.aside?.mine?.(pieces) ?? (here?.isMyTurn && !here.putsStones ? here.ownPoints(pieces) : new Set());
    const targets = here && chosen !== null && setting("targets") ? here.movesFrom(chosen) : null;
    this.homes = homes;
    this.pieces = pieces;
    board.show({
      pieces, touched, mine, chosen, targets: targets ?? new Map(),
      forbidden: here?.forbidden ?? new Map(), danger: here?.danger ?? [], row: here?.row ?? [],
      arrows: app.arrows(),
      numbers: app.look.get("numbers") ? numbers : new Map(),
      guesses: app.guesses.on(pieces, homes, (kind) => table.isHidden(kind)),
    });
    const [, , width, height] = part("board").getAttribute("viewBox").split(" ").map(Number);
    document.documentElement.style.setProperty("--ratio", width / height);
    part("frame").classList.toggle("zoomed", this.isZoomed);
  }

  // A point for a screen reader.
  describe(point, kind) {
    const {look, table} = this.app, state = this.board?.state;
    return [look.pointName(point), kind !== undefined && table.pieceName(kind), state?.targets.has(point) && say("can go here"),
      state?.forbidden.has(point) && say("forbidden: {0}", translated(state.forbidden.get(point)))].filter(Boolean).join(" ");
  }

  // Lets the piece of a ply come from where it stood.
  slide(code) {
    const [change] = BoardView.changesOf(code ?? "");
    if (change && change[0] === "m") this.board.slide(change[1], change[2]);
  }

  flip() {
    const {app} = this;
    app.look.set("flipped", !app.look.get("flipped"));
    this.board.turns = app.look.turns();
    this.board.drawGrid();
    app.render();
  }

  zoom() {
    this.isZoomed = !this.isZoomed;
    this.app.render();
    const frame = part("frame");
    frame.scrollTo((frame.scrollWidth - frame.clientWidth) / 2, (frame.scrollHeight - frame.clientHeight) / 2);
  }

  // Whether the points are too small for a finger.
  needsZoom() {
    const {width} = part("board").getBoundingClientRect(), view = part("board").viewBox.baseVal;
    return this.isZoomed || (view.width > 0 && width / view.width < SMALL_PIXELS);
  }
}

// Who plays, whose turn it is, and the clocks

function clockText(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000)), rest = String(seconds % 60).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

// `seats`: their numbers, in the order in which they are shown.
function seatsRow(app, seats) {
  return html`<div class="seats">${seats.map((seat) => seatCard(app, seat))}</div>`;
}

function seatCard(app, seat) {
  const {table} = app, here = app.panels.player?.table() ?? table, isTurn = !here.isOver && here.toMove === seat, {who, level, isOut, isPerson, partner} = table.seats[seat];
  const ms = app.clockOf(seat);
  const details = [app.look.sideName(seat), level && say("level {0}", say(level)), isOut && say("out"), app.guestText(seat),
    isTurn && say(here === table && table.isThinking && !isPerson ? "thinks …" : "to move"), translated(partner)];
  return html`<div class="seat ${isTurn ? "turn" : ""} ${isOut ? "out" : ""}" data-seat=${seat}>
    <span class="swatch ${table.lookOf(seat)}" aria-hidden="true"></span>
    <div class="who"><b>${say(who)}</b><span>${details.filter(Boolean).join(" · ")}</span></div>
    ${ms === null ? "" : html`<time class=${app.isLost ? "stopped" : ms < 10000 && table.hasClocks ? "low" : ""}>${clockText(ms)}</time>`}
  </div>`;
}
