// The page: takes the server's messages, shows the table, and sends what the person does.
import {render} from "./lit-html.js";
import {Connection, takeToken} from "./connection.js";
import {LiveBoard} from "./live_board.js";
import {Table} from "./table.js";
import {Guesses, guessMenu} from "./guesses.js";
import {positionAfter} from "./position.js";
import {header} from "./header.js";
import {seatsRow} from "./seats.js";
import {side} from "./side.js";
import {say, translated} from "./words.js";
import {applyTheme, gameSetting, setForGame, setting} from "./settings.js";
import {sound} from "./sounds.js";

const part = (id) => document.getElementById(id);
const PROTOCOL = "sanqi-board";
const CLOCK_MS = 250;
const SURE_MS = 4000; // for the second press of "resign"
const SMALL_PIXELS = 24; // between points, for a finger

class App {
  constructor() {
    this.table = null;
    this.board = null;
    this.hello = null;      // what the server can do
    this.ply = null;        // the ply that is looked at; null: the last one
    this.chosen = null;     // the point of the piece that is to move
    this.hint = [];         // the points of the hint
    this.reason = "";       // why something was refused
    this.isLost = false;
    this.isZoomed = false;
    this.isHinting = false;
    this.isResigning = false;
    this.clockFrom = 0;     // when the state with its clocks arrived
    this.dialog = null;     // what draws the open dialog
    applyTheme();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());
    document.addEventListener("keydown", (event) => this.key(event));
    part("dialog").addEventListener("close", () => { this.dialog = null; });
    window.addEventListener("resize", () => this.render());
    setInterval(() => this.tick(), CLOCK_MS);
    this.render();
    this.connect();
  }

  // Messages

  connect() {
    this.connection = new Connection(PROTOCOL, takeToken(), {
      open: () => this.found(),
      message: (message) => this.receive(message),
      lost: () => this.lost(),
    });
  }

  found() {
    this.isLost = false;
    this.send({type: "join", table: this.table?.id ?? null});
    this.render();
  }

  lost() {
    this.isLost = true;
    this.isHinting = false;
    this.render();
  }

  send(message) {
    if (!this.connection.send(message)) this.refuse(say("Connection lost. Trying again …"));
  }

  receive(message) {
    const takers = {hello: "takeHello", geometry: "takeGeometry", state: "takeState", hint: "takeHint", refused: "takeRefusal",
      said: "takeNotice", file: "takeFile", error: "takeFault"};
    const taker = takers[message.type];
    if (taker) this[taker](message);
  }

  takeHello(message) {
    this.hello = message;
    if (!message.table && this.isOwner()) this.openSetup();
    this.render();
  }

  takeGeometry(message) {
    if (part("dialog").open) part("dialog").close();
    this.table = new Table(message);
    delete part("main").dataset.ply;
    this.guesses = new Guesses(this.table.id);
    this.ply = null;
    this.chosen = null;
    this.hint = [];
  }

  takeState(message) {
    const {table} = this, before = table.state ? {ply: table.ply, verdict: table.verdict} : null;
    table.take(message);
    this.clockFrom = performance.now();
    this.chosen = null;
    if (!before || before.ply !== table.ply) { this.hint = []; this.ply = null; this.reason = ""; }
    this.isHinting = this.isHinting && table.isThinking;
    if (this.board?.board !== table.board) this.openBoard();
    this.render();
    if (before) this.tell(before);
  }

  takeHint(message) {
    this.isHinting = false;
    this.hint = message.points;
    this.speak(say("Hint: {0}", this.moveName(message)));
    this.render();
  }

  takeRefusal(message) {
    this.isHinting = false;
    this.refuse(translated(message.reason));
  }

  takeFault(message) {
    if (part("dialog").open) { this.setupFault = message.reason; this.render(); }
    else this.takeRefusal(message);
  }

  async takeFile(message) {
    const {download} = await import("./files.js");
    download(message.name, message.data);
    this.notice(say("Saved as {0}.", message.name));
  }

  takeNotice(message) {
    this.reason = translated(message.text);
    this.speak(this.reason);
    this.render();
  }

  // What the person does

  begin(game, options, seats) {
    this.setupFault = "";
    this.send({type: "new", game: game.name, options, seats});
  }

  async pickFile() {
    const {pick} = await import("./files.js");
    pick((name, data) => this.send({type: "load", name, data}), (text) => this.refuse(text));
  }

  act(name) {
    if (name === "hint") this.isHinting = true;
    this.reason = "";
    this.send({type: name, ply: this.table.ply});
    this.render();
  }

  // The first press asks, the second one resigns.
  resign() {
    if (this.isResigning) this.act("resign");
    this.isResigning = !this.isResigning;
    if (this.isResigning) setTimeout(() => { this.isResigning = false; this.render(); }, SURE_MS);
    this.render();
  }

  typed(text) {
    this.view(this.table.ply);
    this.move(text);
  }

  move(text) {
    this.reason = "";
    this.chosen = null;
    this.send({type: "move", text, ply: this.table.ply});
  }

  choose(point) {
    const {table} = this;
    if (this.ply !== null) { this.view(table.ply); return; }
    if (!table.isMyTurn) { this.refuse(table.verdict ? say("The game is over.") : say("It is not your turn.")); return; }
    const {chosen, move, isEmpty} = table.choice(this.pieces, this.chosen, point);
    this.chosen = chosen;
    this.reason = "";
    if (move) this.move(move);
    else if (isEmpty) this.refuse(say("There is no piece of yours on {0}.", this.pointName(point)));
    this.render();
  }

  drop(from, to) {
    if (this.chosen !== from) return;
    this.choose(to);
  }

  cancel() {
    this.chosen = null;
    this.render();
  }

  // Looks at the game after a number of plies.
  view(ply) {
    const target = Math.max(0, Math.min(ply, this.table.ply));
    this.ply = target === this.table.ply ? null : target;
    this.chosen = null;
    this.render();
    const current = part("side").querySelector('[aria-current="true"]');
    if (current) current.scrollIntoView({block: "nearest"});
  }

  flip() {
    this.setForGame("flipped", !this.gameSetting("flipped"));
    this.board.turns = this.turns();
    this.board.drawGrid();
    this.render();
  }

  zoom() {
    this.isZoomed = !this.isZoomed;
    this.render();
    const frame = part("frame");
    frame.scrollTo((frame.scrollWidth - frame.clientWidth) / 2, (frame.scrollHeight - frame.clientHeight) / 2);
  }

  setLevel(level) {
    this.send({type: "level", level});
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.notice(say("Copied."));
    } catch {
      this.refuse(say("This browser does not let the page copy."));
    }
  }

  key(event) {
    const isField = event.target.closest("input, select, textarea, dialog");
    if (!this.table || isField || event.altKey || event.ctrlKey || event.metaKey) return;
    const shown = this.shownPly();
    const targets = {ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: this.table.ply};
    if (!(event.key in targets)) return;
    event.preventDefault();
    this.view(targets[event.key]);
  }

  // What is shown

  shownPly() {
    return this.ply ?? this.table.ply;
  }

  title() {
    return this.table.title;
  }

  isOwner() {
    return this.hello?.role === "owner";
  }

  gameSetting(name) {
    return gameSetting(this.table.game, name);
  }

  setForGame(name, value) {
    setForGame(this.table.game, name, value);
  }

  faces() {
    return this.gameSetting("faces") || "text";
  }

  labelsName() {
    const names = Object.keys(this.table.labels), wanted = this.gameSetting("labels");
    return names.includes(wanted) ? wanted : names[0];
  }

  notation() {
    const names = this.table.notations, wanted = this.gameSetting("notation");
    return names.includes(wanted) ? wanted : names[0];
  }

  chooseNotation(name) {
    this.setForGame("notation", name);
    this.render();
  }

  moveName(move) {
    return move.names[this.notation()] ?? move.text;
  }

  movesText() {
    return this.table.moves.map((move) => this.moveName(move)).join(" ");
  }

  sideName(seat) {
    const name = say(this.table.sides[seat]);
    return name[0].toUpperCase() + name.slice(1);
  }

  pointName(point) {
    return this.table.pointNames[point];
  }

  // How far the board is turned: the person's own side is at the bottom.
  turns() {
    const own = this.table.turnsOfSeat();
    return (own + (this.gameSetting("flipped") ? 2 : 0)) % 4;
  }

  statusText() {
    const {table} = this;
    if (this.ply !== null) return say("After {0} of {1} moves.", this.ply, table.ply);
    if (table.verdict) return translated(table.verdict.text);
    const who = this.sideName(table.toMove), check = table.danger.length ? ` ${say("Check!")}` : "";
    if (table.isMyTurn) return say("Your turn: {0}.", who) + check;
    return say(table.isThinking ? "{0} thinks …" : "{0} to move.", who) + check;
  }

  clockOf(seat) {
    const {table} = this, ms = table.seats[seat].clockMs;
    if (ms === null) return null;
    const runs = table.running === seat && !table.verdict;
    return runs ? ms + (table.hasClocks ? -1 : 1) * (performance.now() - this.clockFrom) : ms;
  }

  levels() {
    return this.table.levels;
  }

  levelNow() {
    return this.table.seats.find((seat) => seat.level)?.level ?? "";
  }

  needsZoom() {
    const {width} = part("board").getBoundingClientRect(), view = part("board").viewBox.baseVal;
    return this.isZoomed || (view.width > 0 && width / view.width < SMALL_PIXELS);
  }

  // Drawing

  openBoard() {
    const {table} = this;
    this.board?.close();
    this.board = new LiveBoard(part("board"), table.board, {
      choose: (point) => this.choose(point), move: (from, to) => this.drop(from, to), cancel: () => this.cancel(),
      menu: (point) => this.openGuess(point), nameOf: (point, kind) => this.describe(point, kind),
    });
    this.settingsChanged();
  }

  settingsChanged() {
    applyTheme();
    if (this.board) {
      this.board.faces = this.faces();
      this.board.texts = this.table.labels[this.labelsName()];
      this.board.turns = this.turns();
      this.board.drawGrid();
    }
    this.render();
  }

  render() {
    render(header(this), part("header"));
    const {table} = this;
    if (table?.state) {
      part("main").dataset.turn = table.verdict ? "over" : table.isMyTurn ? "mine" : "other";
      part("main").dataset.ply = table.ply;
      this.showBoard();
      this.showSeats();
      render(side(this), part("side"));
    }
    if (this.dialog) render(this.dialog(), part("dialog"));
  }

  showSeats() {
    const {far, near} = this.table.seatsAround(this.turns());
    render(seatsRow(this, far), part("far-seats"));
    render(seatsRow(this, near), part("near-seats"));
  }

  showBoard() {
    const {table, board} = this, isNow = this.ply === null;
    const {pieces, homes, touched, numbers} = positionAfter(board, table.start, table.plies, this.shownPly());
    const mine = isNow && table.isMyTurn && !table.putsStones ? table.ownPoints(pieces) : new Set();
    const targets = isNow && this.chosen !== null && setting("targets") ? table.movesFrom(this.chosen) : null;
    this.homes = homes;
    this.pieces = pieces;
    board.show({
      pieces, touched, mine, chosen: this.chosen, targets: targets ?? new Map(),
      forbidden: isNow ? table.forbidden : new Map(), danger: isNow ? table.danger : [], row: isNow ? table.row : [],
      arrows: isNow && this.hint.length ? [this.hint] : [],
      numbers: this.gameSetting("numbers") ? numbers : new Map(),
      guesses: this.guesses.on(pieces, homes, (kind) => table.isHidden(kind)),
    });
    const [, , width, height] = part("board").getAttribute("viewBox").split(" ").map(Number);
    document.documentElement.style.setProperty("--ratio", width / height);
    part("frame").classList.toggle("zoomed", this.isZoomed);
  }

  // A point for a screen reader.
  describe(point, kind) {
    const {table} = this, state = this.board?.state;
    const words = [this.pointName(point)];
    if (kind !== undefined) words.push(table.pieceName(kind));
    if (state?.targets.has(point)) words.push(say("can go here"));
    if (state?.forbidden.has(point)) words.push(say("forbidden: {0}", translated(state.forbidden.get(point))));
    return words.filter(Boolean).join(" ");
  }

  tick() {
    if (this.table?.state && !this.table.verdict && this.table.running !== null) this.showSeats();
  }

  // Speech and sounds

  speak(text) {
    part("spoken").textContent = text;
  }

  notice(text) {
    this.reason = text;
    this.speak(text);
    this.render();
  }

  refuse(text) {
    this.reason = text;
    part("refusal").textContent = "";
    part("refusal").textContent = text;
    if (setting("sounds")) sound("refused");
    this.render();
  }

  // Tells what has changed since `before`.
  tell(before) {
    const {table} = this;
    const words = [];
    if (table.ply > before.ply) {
      const move = table.moves.at(-1);
      words.push(`${this.sideName(move.seat)}: ${this.moveName(move)}`);
      this.slideLast();
    } else if (table.ply < before.ply) words.push(say("Taken back to move {0}.", table.ply));
    if (table.danger.length && table.ply !== before.ply) words.push(say("Check!"));
    if (table.verdict && !before.verdict) words.push(translated(table.verdict.text));
    if (words.length) this.speak(words.join(" "));
    if (setting("sounds")) this.playSound(before);
  }

  playSound(before) {
    const {table} = this;
    if (table.verdict && !before.verdict) sound("end");
    else if (table.ply <= before.ply) return;
    else if (table.danger.length) sound("check");
    else sound(table.lastTakes() ? "take" : "move");
  }

  slideLast() {
    const [change] = BoardView.changesOf(this.table.plies.at(-1) ?? "");
    if (change && change[0] === "m") this.board.slide(change[1], change[2]);
  }

  // Dialogs

  // Opens a dialog whose script is loaded when it is needed first.
  async openFrom(script, draw) {
    try {
      const parts = await import(script);
      this.open(() => draw(parts));
    } catch {
      this.refuse(say("Connection lost. Trying again …"));
    }
  }

  open(draw) {
    this.dialog = draw;
    render(draw(), part("dialog"));
    if (!part("dialog").open) part("dialog").showModal();
  }

  openSetup() {
    return this.openFrom("./setup.js", ({setup}) => setup(this));
  }

  games() {
    return this.hello.games.map((game) => ({...game, seats: (options) => game.sidesBy ? game.sidesBy.sides[options[game.sidesBy.option]] : game.sides}));
  }

  openPreferences() {
    return this.openFrom("./preferences.js", ({preferences}) => preferences(this));
  }

  openSave() {
    return this.openFrom("./files.js", ({saveDialog}) => saveDialog(this));
  }

  // The menu of guesses about a hidden piece. Returns whether there is one here.
  openGuess(point) {
    if (!this.table.isHidden(this.pieces.get(point))) return false;
    this.open(() => guessMenu(this, point));
    return true;
  }

  guess(point, text) {
    this.guesses.set(this.homes.get(point), text);
    part("dialog").close();
    this.render();
  }
}

new App();
