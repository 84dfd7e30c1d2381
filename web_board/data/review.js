// The review of the game: its curve, figures and marks beside the board, and the line that is looked at on it.
import {html, nothing, svg} from "./lit-html.js";
import {button} from "./controls.js";
import {speak} from "./speech.js";
import {say, translated} from "./words.js";

const WIDTH = 300, HEIGHT = 100; // of the curve
const SHAPES = {"?!": "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "?": "m0-5l5 5-5 5-5-5z", "??": "m0-6l6 11h-12z"}; // of marks on it

// The points of a coded ply, for an arrow.
export function pointsOf(code) {
  const [change] = BoardView.changesOf(code ?? "");
  return !change || "so".includes(change[0]) ? [] : "pt".includes(change[0]) ? [change[1]] : change.slice(1);
}

export class Review {
  // `found`: the message `review`.
  constructor(app, found) {
    this.app = app;
    this.found = found;
    this.focus = null; // {ply, line, step}: the mark that is looked at, one of its lines, how many of its moves are played
  }

  get isDone() {
    return this.found.status === "done";
  }

  at(ply) {
    return this.isDone ? this.found.plies.find((each) => each.ply === ply) : undefined;
  }

  // The sign of a move in the list of moves.
  signOf(ply) {
    const {sign, mark} = this.at(ply) ?? {};
    return sign ? html` <b class="sign" title=${say(mark)}>${sign}<span class="unseen"> ${say(mark)}</span></b>` : "";
  }

  // The line that is looked at: `base`, how many moves come before it, and `codes`, its plies.
  line() {
    const {ply, line} = this.focus;
    return this.at(ply).lines[line] ?? {base: ply - 1, codes: []};
  }

  // The codes of the plies that the board shows in place of the game; null: the game.
  plies() {
    if (!this.focus) return null;
    const {ply, step} = this.focus, {base, codes} = this.line(), before = this.app.table.plies.slice(0, ply - 1);
    return [...before, ...(base < ply ? [] : [this.at(ply).played.code]), ...codes.slice(0, step)];
  }

  arrows() {
    const {ply, step} = this.focus, {base, codes} = this.line();
    const played = {points: pointsOf(this.at(ply).played.code), rank: 0, look: "played"};
    return [...(step || base === ply ? [] : [played]), {points: pointsOf(codes[step]), rank: 0}].filter(({points}) => points.length);
  }

  // What the person does

  choose(ply) {
    this.app.show(ply - 1);
    this.focus = {ply, line: 0, step: 0};
    speak([this.heading(this.at(ply)), ...this.remarks(this.at(ply))].join(" "));
    this.app.render();
    document.getElementById("frame").scrollIntoView({block: "nearest"}); // on a phone the list is below the board
  }

  step(line, step) {
    const {moves, codes} = this.at(this.focus.ply).lines[line];
    if (step < 0 || step > codes.length) return;
    this.focus = {...this.focus, line, step};
    if (step) speak(this.nameOf(moves[step - 1]));
    this.app.render();
  }

  leave() {
    this.focus = null;
  }

  // Keys of the page. Returns whether it was one for the review.
  key(name) {
    if (!this.isDone) return false;
    const marks = this.found.plies.map(({ply}) => ply), at = this.focus?.ply ?? this.app.shownPly();
    const next = {n: marks.find((ply) => ply > at), p: marks.findLast((ply) => ply < at)}[name];
    if (next) this.choose(next);
    else if (!this.focus) return false;
    else if (name === "Escape") this.app.show(this.focus.ply - 1);
    else if (name === "ArrowRight") this.step(this.focus.line, this.focus.step + 1);
    else if (name === "ArrowLeft" && this.focus.step) this.step(this.focus.line, this.focus.step - 1);
    else return false;
    return true;
  }

  // Words

  nameOf(move) {
    return this.app.look.moveName(move);
  }

  heading({ply, played, sign, mark}) {
    return `${this.app.table.round(ply)}. ${this.nameOf(played)} ${sign} ${mark ? say(mark) : ""}`.trim();
  }

  remarks({loss, missedWin, isTurning, rule, why}) {
    return [why && translated(why), loss && say("Lost {0} points of 100.", loss), missedWin && say("Missed a win in {0}.", missedWin),
      isTurning && say("Turning point."), rule && translated(rule)].filter(Boolean);
  }

  // Beside the board

  view() {
    return html`<div class="card review" id="review">
      <div class="row-of"><h2>${say("Review")}</h2>${this.isDone ? this.practice() : this.progress()}</div>
      ${this.isDone ? [this.curve(), this.accuracy(), this.marks(), this.focus ? this.detail() : ""] : ""}
    </div>`;
  }

  progress() {
    const {done, total} = this.found;
    return html`<progress max=${total} value=${done} aria-label=${say("Review")}></progress><span>${done} / ${total}</span>
      <button type="button" data-act="stop-review" @click=${() => this.app.act("stop-review")}>${say("Stop")}</button>`;
  }

  practice() {
    const {table} = this.app, isMine = ({mark, ply}) => ["mistake", "blunder"].includes(mark) && table.me.includes(table.moves[ply - 1].seat);
    return this.found.plies.some(isMine) ? button("practise", say("Practise"), () => this.app.practise(table.id)) : "";
  }

  curve() {
    const {curve, plies} = this.found, {length} = this.found.scores, x = (ply) => (WIDTH * ply) / length;
    if (!curve) return "";
    const points = (run) => run.split(" ").map((each) => each.split(",").map(Number));
    const heights = new Map([...curve.runs, ...curve.others].flatMap(points));
    const line = (run, look) => svg`<polyline class=${look} points=${points(run).map(([ply, y]) => `${x(ply)},${y}`).join(" ")}></polyline>`;
    const click = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      this.app.show(Math.round((length * (event.clientX - box.left)) / box.width));
    };
    return html`<svg class="curve" id="review-curve" viewBox="-6 -6 ${WIDTH + 12} ${HEIGHT + 12}" role="img" aria-label=${translated(curve.text)} @click=${click}>
      <path class="even" d="M0 50h${WIDTH}"></path>${curve.others.map((run) => line(run, "other"))}${curve.runs.map((run) => line(run, ""))}
      <path class="now" d="M${x(this.app.shownPly())} 0v${HEIGHT}"></path>
      ${plies.filter(({sign, ply}) => sign && heights.has(ply)).map(({sign, ply}) => svg`<path class="mark" d="M${x(ply)} ${heights.get(ply)}${SHAPES[sign]}"></path>`)}
    </svg>`;
  }

  accuracy() {
    const sides = this.found.sides.filter(({accuracy}) => accuracy !== null);
    return html`<p id="accuracy">${translated(`${say("Accuracy")}: ${sides.map(({seat, accuracy}) => `${this.app.look.sideName(seat)} ${accuracy.toFixed(1)} %`).join(", ")}`)}</p>`;
  }

  marks() {
    const {plies} = this.found;
    if (!plies.length) return html`<p class="empty">${say("No mistake was found.")}</p>`;
    return html`<ul class="marks">${plies.map((found) => html`<li><button type="button" data-mark=${found.ply} aria-current=${this.focus?.ply === found.ply ? "true" : nothing}
      @click=${() => this.choose(found.ply)}>${this.heading(found)}${found.loss ? html`<span>−${found.loss}</span>` : ""}</button></li>`)}</ul>`;
  }

  // The mark that is looked at: why, and its lines.
  detail() {
    const {ply, line, step} = this.focus, found = this.at(ply);
    const move = (each, at, index) => html`<button type="button" data-line=${`${at}.${index + 1}`} ?disabled=${index >= found.lines[at].codes.length}
      aria-current=${at === line && index + 1 === step ? "true" : nothing} @click=${() => this.step(at, index + 1)}>${this.nameOf(each)}</button>`;
    return html`<div class="detail" id="detail"><p>${this.remarks(found).join(" ")}</p>
      ${found.lines.map(({title, moves}, at) => html`<p class="line"><b>${translated(`${say(title)}:`)}</b> ${moves.map((each, index) => move(each, at, index))}</p>`)}</div>`;
  }
}
