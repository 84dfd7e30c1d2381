// The page: takes the server's messages, shows the table, and sends what the person does.
import {render} from "./lit-html.js";
import {Connection, takeToken} from "./connection.js";
import {Dialogs} from "./dialogs.js";
import {Guesses} from "./guesses.js";
import {header} from "./header.js";
import {Look} from "./look.js";
import {Place} from "./place.js";
import {Panels, side} from "./side.js";
import {alarm, speak, tellChange} from "./speech.js";
import {Table} from "./table.js";
import {applyTheme, follow, levelAfter, setForGame} from "./settings.js";
import {loadWords, say, translated} from "./words.js";

const part = (id) => document.getElementById(id);
const PROTOCOL = "sanqi-board";
const IS_GAME = /[/([]|\s\S+\s/; // a text that is no move
const CLOCK_MS = 250;
const SURE_MS = 4000; // for the second press of "resign"
const OF_ASIDE = new Set(["practice", "exercise", "judging", "tried", "solution", "set-up", "lineups"]);
const ALWAYS = new Set(["hello", "refused", "error", "file"]); // messages that are read while that is shown

class App {
  constructor() {
    this.table = null;
    this.look = null;       // how this person sees its game
    this.hello = null;      // what the server can do
    this.ply = null;        // the ply that is looked at; null: the last one
    this.chosen = null;     // the point of the piece that is to move
    this.hint = [];         // the points of the hint
    this.tree = new Map();  // the tried moves by their ids
    this.curve = new Map(); // what the first side can expect, by plies
    this.review = null;     // what is known of the game's moves
    this.aside = null;      // what the person does in place of the game: Practice or Editor
    this.guests = new Map(); // for the seats that are played over links, whether somebody is there
    this.reason = "";       // why something was refused, or a notice
    this.isNotice = false;
    this.isLost = false;
    this.isHinting = false;
    this.isResigning = false;
    this.isBeginning = false; // whether another game was asked for
    this.isCopying = false; // whether the position was asked for to copy it
    this.clockFrom = 0;     // when the state with its clocks arrived
    this.lostAt = 0;        // when the connection was lost: clocks stand still since
    this.place = new Place(this);
    this.dialogs = new Dialogs(this);
    this.panels = new Panels(this);
    applyTheme();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("paste", (event) => this.paste(event));
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
    this.send({type: "join", table: this.table?.id ?? null});
    this.aside?.ask();
  }

  lost() {
    if (!this.isLost) this.lostAt = performance.now();
    this.isLost = true;
    this.isHinting = this.isBeginning = false;
    this.render();
  }

  // Whether it was sent.
  send(message) {
    const isSent = this.connection.send(message);
    if (!isSent) this.refuseLost();
    return isSent;
  }

  // The server is needed, and cannot be reached.
  refuseLost() {
    this.refuse(say("Connection lost. Trying again …"));
  }

  receive(message) {
    const {type} = message;
    if (type === "geometry" && this.isBeginning) this.takeBegun(message);
    if (OF_ASIDE.has(type)) { this.aside?.take(message); return; }
    if (this.shownAside && !ALWAYS.has(type)) return;
    this[`take${type[0].toUpperCase()}${type.slice(1)}`]?.(message);
    this.panels.receive(message);
  }

  takeHello(message) {
    this.hello = message;
    this.isLost = this.isLost && message.table !== null && !this.aside; // until its state is here
    if (!message.table && !this.aside && this.isOwner()) this.openSetup();
    this.render();
  }

  // The game begins that was asked for.
  takeBegun({game, table}) {
    this.aside = null;
    this.isBeginning = false;
    if (this.kept) setForGame(game, "setup", this.kept);
    if (this.follows) follow(game, table);
  }

  takeGeometry(message) {
    this.dialogs.close();
    if (this.table?.id !== message.table) this.panels.close();
    this.tree = new Map();
    this.curve = new Map();
    this.table = new Table(message);
    this.look = new Look(this.table);
    delete part("main").dataset.ply;
    this.guesses = new Guesses(this.table.id);
    this.review = null;
    this.guests = new Map();
    this.ply = null;
    this.chosen = null;
    this.hint = [];
  }

  takeState(message) {
    const {table} = this, before = table.state ? {ply: table.ply, verdict: table.verdict} : null;
    table.take(message);
    this.isLost = false;
    this.clockFrom = performance.now();
    this.chosen = null;
    if (!before || before.ply !== table.ply) { this.hint = []; this.ply = null; this.reason = ""; }
    this.isHinting = this.isHinting && table.isThinking;
    if (!this.place.isOpen) this.place.open();
    const level = levelAfter(table, this.games().find(({name}) => name === table.game));
    if (level) Object.assign(this, {isNotice: true, reason: say("The level that follows you is {0} now.", level)});
    this.render();
    if (table.ply !== before?.ply) part("moves")?.scrollTo(0, 1e6);
    if (!before) return;
    if (table.ply > before.ply) this.place.slide(table.plies.at(-1));
    tellChange(table, this.look, before);
  }

  // Who has come to a seat that is played over a link, and who has gone.
  takeGuests({seats}) {
    const before = this.guests;
    this.guests = new Map(seats);
    for (const [seat, isThere] of seats)
      if (before.has(seat) && before.get(seat) !== isThere) speak(`${this.look.sideName(seat)}: ${this.guestText(seat)}`);
    this.render();
  }

  // '': the seat has no guest.
  guestText(seat) {
    return this.guests.has(seat) ? this.guests.get(seat) ? say("connected") : say("nobody there") : "";
  }

  takeWatched(message) {
    this.watched = message;
    this.render();
  }

  takeTree(message) {
    this.tree = new Map(message.nodes.map((node) => [node.id, node]));
    if (this.tree.size && !this.panels.has("./tries.js")) this.panels.openPanel("./tries.js");
  }

  takeCurve(message) {
    this.curve = new Map(message.scores);
  }

  takeHint(message) {
    this.isHinting = false;
    this.hint = message.points;
    speak(say("Hint: {0}", this.look.moveName(message)));
    this.render();
  }

  takeRefused(message) {
    this.isHinting = false;
    this.refuse(translated(message.reason));
  }

  takeError(message) {
    const isOfSetup = this.isBeginning || this.aside !== this.shownAside;
    this.isBeginning = this.isCopying = false;
    this.aside = this.shownAside; // another one cannot be
    if (isOfSetup && this.dialogs.isOpen) { this.setupFault = message.reason; this.render(); }
    else this.takeRefused(message);
  }

  async takeFile(message) {
    const {download} = await import("./files.js");
    download(message.name, message.data);
    this.notice(say("Saved as {0}.", message.name));
  }

  async takeReview(message) {
    const {table} = this, {Review} = await import("./review.js");
    if (table !== this.table) return;
    const wasDone = this.review?.isDone;
    this.review = message.status === "none" ? null : new Review(this, message);
    if (this.review?.isDone && !wasDone) speak(say("The review is ready."));
    this.render();
  }

  // Shows another table than that of the game.
  showTable(geometry, state) {
    this.takeGeometry(geometry);
    this.takeState(state);
  }

  takePosition(message) {
    if (this.isCopying) this.copy(message.fen);
    this.isCopying = false;
  }

  takeSaid(message) {
    this.notice(translated(message.text));
  }

  // What the person does

  // `choices`: the fields of the message `new`.
  begin(choices, follows) {
    this.setupFault = "";
    this.ask({type: "new", ...choices}, this.setupChoices, follows);
  }

  // Lets the person set up how the game begins.
  async edit(choices, follows) {
    const {Editor} = await import("./editor.js"), {table} = this;
    this.setupFault = "";
    this.begins(new Editor(this, choices, follows));
    this.aside.ask({text: table?.game === choices.game ? table.fen : ""});
  }

  // Asks for another game. `kept`: the choices to keep if it begins.
  ask(message, kept, follows) {
    if (this.mayLeave() && this.send(message)) Object.assign(this, {isBeginning: true, kept, follows});
  }

  isGoingOn() {
    return this.shownAside ? this.wasGoingOn : this.table?.isGoingOn();
  }

  mayLeave() {
    return !this.isGoingOn() || confirm(say("Leave this game?"));
  }

  // Shows a game that others play; '': the newest.
  watch(game) {
    if (this.mayLeave()) this.send({type: "watch", game});
    this.render();
  }

  // The person does something in place of the game, which is asked about when another one begins.
  begins(aside) {
    this.wasGoingOn = this.isGoingOn();
    this.aside = aside;
  }

  paste(event) {
    const field = event.target.closest("input, textarea, dialog"), text = event.clipboardData.getData("text");
    if (field && (field.id !== "typed" || !IS_GAME.test(text))) return;
    event.preventDefault();
    this.load(text);
  }

  // Loads a text: a position, a record or moves.
  load(text) {
    if (this.shownAside?.load) this.aside.load(text);
    else if (this.isOwner()) this.ask({type: "paste", text});
  }

  openSetup() {
    this.setupFault = "";
    this.dialogs.openFrom("./setup.js", "setup");
  }

  async pickFile() {
    const {pick} = await import("./files.js");
    pick((name, data) => this.ask({type: "load", name, data}), (text) => this.refuse(text));
  }

  act(name, details) {
    if (name === "hint") this.isHinting = true;
    this.reason = "";
    this.send({type: name, ply: this.table.ply, ...details});
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
    if (IS_GAME.test(text)) { this.load(text); return; }
    if (!this.panels.player) this.view(this.table.ply);
    this.move(text);
  }

  // Plays a move, or tries it where a panel takes moves.
  move(text) {
    this.reason = "";
    this.chosen = null;
    if (this.shownAside) this.aside.try(text);
    else if (this.panels.player) this.panels.player.play(text);
    else this.send({type: "move", text, ply: this.table.ply});
  }

  choose(point) {
    const {table} = this, here = this.tableHere();
    if (this.shownAside?.choose) { this.aside.choose(point); return; }
    if (!here) { this.view(table.ply); return; }
    if (!here.isMyTurn) { if (!this.openMenu(point)) this.refuse(table.verdict ? say("The game is over.") : say("It is not your turn.")); return; }
    const {chosen, move, isEmpty} = here.choice(this.place.pieces, this.chosen, point);
    this.chosen = chosen;
    this.reason = "";
    if (move) this.move(move);
    else if (isEmpty && !this.openMenu(point)) this.refuse(say("There is no piece of yours on {0}.", this.look.pointName(point)));
    this.render();
  }

  drop(from, to) {
    if (this.chosen !== from) return;
    if (to !== null) this.choose(to);
    else this.aside?.remove?.(from);
  }

  cancel() {
    this.chosen = null;
    this.review?.leave();
    this.render();
  }

  // Looks at the game after a number of plies.
  show(ply) {
    const target = Math.max(0, Math.min(ply, this.table.ply));
    this.ply = target === this.table.ply ? null : target;
    this.chosen = null;
    this.review?.leave();
    this.panels.look();
    this.render();
  }

  // The same; the list of moves goes there, too.
  view(ply) {
    this.show(ply);
    const current = part("side").querySelector('[aria-current="true"]');
    if (current) current.scrollIntoView({block: "nearest"});
  }

  // The positions to which one steps from the one that is shown; one that is missing is not there.
  steps() {
    const shown = this.shownPly(), {ply} = this.table;
    return this.panels.player?.steps() ?? {...(shown && {first: 0, back: shown - 1}), ...(shown < ply && {next: shown + 1, last: ply})};
  }

  // Shows a position of the game, or of the tried moves; undefined: there is none.
  goTo(at) {
    if (typeof at === "number") this.view(at);
    else if (at) this.panels.player.go(at);
  }

  // `table`: whose mistakes; null: those of all games.
  async practise(table) {
    const {Practice} = await import("./practice.js");
    this.begins(new Practice(this, table));
    this.aside.ask();
  }

  leaveAside(text = "") {
    if (this.shownAside) {
      this.review = null;
      this.send({type: "join", table: null});
    }
    this.aside = null;
    this.notice(text);
  }

  setLevel(level) {
    this.send({type: "level", level});
  }

  chooseNotation(name) {
    this.look.set("notation", name);
    this.render();
  }

  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.notice(say("Copied."));
    } catch {
      this.refuse(say("This browser does not let the page copy."));
    }
  }

  // Copies the position that is shown.
  copyPosition() {
    const fen = this.tableHere()?.fen;
    this.isCopying = !fen;
    if (fen) this.copy(fen);
    else this.send({type: "look", at: this.shownAt()});
  }

  key(event) {
    const isField = event.target.closest("input, select, textarea, dialog");
    if (!this.table || isField || event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.review?.key(event.key)) { event.preventDefault(); return; }
    const step = {ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last"}[event.key];
    if (!step) return;
    event.preventDefault();
    this.goTo(this.steps()[step]);
  }

  // The menu of a point: guesses about a hidden piece. Returns whether there is one here.
  openMenu(point) {
    if (!this.table.isHidden(this.place.pieces.get(point))) return false;
    this.dialogs.openFrom("./small_dialogs.js", "guessMenu", point);
    return true;
  }

  guess(point, text) {
    this.guesses.set(this.place.homes.get(point), text);
    this.dialogs.close();
    this.render();
  }

  // What is shown

  // How many moves of the game have led to the position that is shown.
  shownPly() {
    return this.ply ?? this.table.ply;
  }

  // The position that is shown, as the server names it.
  shownAt() {
    return this.panels.player?.at ?? this.shownPly();
  }

  // The codes of the plies that have led to it.
  shownPlies() {
    return this.review?.plies() ?? this.panels.player?.plies() ?? this.table.plies.slice(0, this.shownPly());
  }

  // The table in that position; null: nothing can be moved there.
  tableHere() {
    if (this.review?.focus) return null;
    if (this.panels.player) return this.panels.player.table();
    return this.ply === null ? this.table : null;
  }

  arrows() {
    if (this.review?.focus) return this.review.arrows();
    if (this.shownAside) return this.aside.arrows?.() ?? [];
    const hint = this.ply === null && this.hint.length ? [{points: this.hint, rank: 0}] : [];
    return [...hint, ...this.panels.arrows()];
  }

  // What is shown in place of the game, if anything.
  get shownAside() {
    return this.aside?.isShown ? this.aside : null;
  }

  isOwner() {
    return this.hello?.role === "owner";
  }

  games() {
    return this.hello.games.map((game) => ({...game, seats: (options) => game.sidesBy ? game.sidesBy.sides[options[game.sidesBy.option]] : game.sides}));
  }

  statusText() {
    const {table} = this, other = this.panels.player?.statusText();
    if (other) return other;
    if (this.ply !== null) return say("After {0} of {1} moves.", this.ply, table.ply);
    if (table.verdict) return translated(table.verdict.text);
    const who = this.look.sideName(table.toMove), check = (table.danger.length ? ` ${say("Check!")}` : "") + (table.task && ` ${translated(table.task)}`);
    if (table.isMyTurn) return say("Your turn: {0}.", who) + check;
    return say(table.isThinking ? "{0} thinks …" : "{0} to move.", who) + check;
  }

  clockOf(seat) {
    const {table} = this, ms = table.seats[seat].clockMs;
    if (ms === null) return null;
    const runs = table.running === seat && !table.verdict, now = this.isLost ? this.lostAt : performance.now();
    return runs ? ms + (table.hasClocks ? -1 : 1) * (now - this.clockFrom) : ms;
  }

  async settingsChanged() {
    applyTheme();
    await loadWords();
    this.place.settingsChanged();
    this.render();
  }

  render() {
    render(header(this), part("header"));
    const {table} = this;
    if (table?.state) {
      part("main").dataset.turn = table.verdict ? "over" : table.isMyTurn ? "mine" : "other";
      part("main").dataset.ply = table.ply;
      this.place.render();
      this.renderSide();
    }
    this.dialogs.render();
  }

  renderSide() {
    render(side(this), part("side"));
  }

  tick() {
    if (this.table?.state && !this.table.verdict && this.table.running !== null) this.place.showSeats();
  }

  // What the person should know

  notice(text) {
    Object.assign(this, {isNotice: true, reason: text});
    speak(text);
    this.render();
  }

  refuse(text) {
    Object.assign(this, {isNotice: false, reason: text});
    alarm(text);
    this.render();
  }
}

await loadWords();
new App();
