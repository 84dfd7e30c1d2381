// The panel of the analysis: the best lines of the position that is shown, as arrows and text, a score bar, and the
// curve of the positions that were analysed so far.
import {html, svg} from "./lit-html.js";
import {optionsOf, panelHead} from "./controls.js";
import {say, translated} from "./words.js";

export const SCRIPT = "./analysis.js";
const MAX_LINES = 5;
const SHOWN_MOVES = 12; // of a line
const WIDTH = 300, HEIGHT = 60; // of the curve

export class Panel {
  constructor(app) {
    this.app = app;
    this.found = null;  // the last message `lines` about the position that is shown
    this.asked = null;  // what the server was asked to analyse
    this.ask();
  }

  get lines() {
    return this.app.look.get("lines");
  }

  // Has the position analysed that is shown now, unless that has been asked for.
  ask() {
    const {app} = this, at = app.shownAt(), wanted = [at, this.lines, app.shownPlies()].join(" ");
    if (wanted === this.asked) return;
    this.asked = wanted;
    this.found = null;
    app.send({type: "analyse", lines: this.lines, at});
  }

  look() {
    this.ask();
  }

  close() {
    this.app.send({type: "analyse", lines: 0});
  }

  receive(message) {
    const {app} = this;
    if (message.type === "geometry") this.asked = null; // after a lost connection
    else if (message.type === "state" && app.table.whyNoAnalysis) app.panels.close(SCRIPT);
    else if (message.type === "state" || message.type === "tree") this.ask();
    else if (message.type === "lines") this.takeLines(message);
    else return;
    app.place.board.showArrows(app.arrows());
    app.renderSide();
  }

  takeLines(message) {
    if (typeof message.at === "number" && message.winrate !== null) this.app.curve.set(message.at, message.winrate);
    if (message.at === this.app.shownAt()) this.found = message;
  }

  setLines(number) {
    this.app.look.set("lines", number);
    this.ask();
    this.app.render();
  }

  // The worst one first: the best one is drawn over it.
  arrows() {
    return (this.found?.lines ?? []).map(({points}, at) => ({points, rank: at + 1})).reverse();
  }

  draw() {
    const {app, found} = this, numbers = Array.from({length: MAX_LINES}, (_, at) => [at + 1, at + 1]);
    return html`<section class="card analysis" aria-label=${say("Analysis")}>
      ${panelHead(app, SCRIPT, say("Analysis"), say("End the analysis"), html`<select id="lines" aria-label=${say("Lines")}
        @change=${(event) => this.setLines(Number(event.target.value))}>${optionsOf(numbers, this.lines)}</select>
        <span class="depth">${found?.depth ? say("depth {0}", found.depth) : say("Thinking …")}</span>`)}
      ${bar(app, found?.winrate ?? null)}
      ${found?.fault ? html`<p class="reason">${translated(found.fault)}</p>` : ""}
      <ol id="best-lines">${(found?.lines ?? []).map((line) => html`<li><b>${scoreText(line)}</b> ${movesText(app, line)}</li>`)}</ol>
      ${curve(app)}
    </section>`;
  }
}

function percent(winrate) {
  return `${Math.round(100 * winrate)} %`;
}

// All scores are the first side's.
function scoreText({mate, cp, winrate}) {
  if (mate !== null) return `#${mate}`;
  if (cp !== null) return `${cp < 0 ? "−" : "+"}${(Math.abs(cp) / 100).toFixed(2)}`;
  return winrate === null ? "" : percent(winrate);
}

function movesText(app, {names}) {
  const moves = names[app.look.notation()] ?? Object.values(names)[0] ?? [];
  return moves.slice(0, SHOWN_MOVES).map((move) => html`<span>${move}</span> `);
}

function bar(app, winrate) {
  const side = app.look.inWords(app.table.sides[0]), text = winrate === null ? "" : `${side} ${percent(winrate)}`;
  return html`<div class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label=${text || say("Score")}>
    <rect class="rest" width="100" height="8"></rect>${winrate === null ? "" : svg`<rect class="share" width=${(100 * winrate).toFixed(1)} height="8"></rect>`}</svg><span>${text}</span></div>`;
}

function curve(app) {
  const {table} = app, known = [...app.curve].sort(([a], [b]) => a - b);
  if (known.length < 2) return "";
  const x = (ply) => (ply * WIDTH / Math.max(table.ply, 1)).toFixed(1), y = (winrate) => ((1 - winrate) * HEIGHT).toFixed(1);
  const click = (event) => {
    const {left, width} = event.currentTarget.getBoundingClientRect();
    app.view(Math.round(table.ply * (event.clientX - left) / width));
  };
  return html`<svg class="curve" viewBox="-3 -3 ${WIDTH + 6} ${HEIGHT + 6}" role="img" @click=${click}
    aria-label=${say("Scores of {0} of {1} positions", known.length, table.ply + 1)}>
    <path class="even" d="M0 ${HEIGHT / 2}H${WIDTH}"></path><path class="now" d="M${x(app.shownPly())} 0V${HEIGHT}"></path>
    <polyline points=${known.map(([ply, winrate]) => `${x(ply)},${y(winrate)}`).join(" ")}></polyline>
    ${known.map(([ply, winrate]) => svg`<circle cx=${x(ply)} cy=${y(winrate)} r="2.5"></circle>`)}
  </svg>`;
}
