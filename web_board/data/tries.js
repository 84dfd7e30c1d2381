// The panel of tried moves: a person plays own moves from any position of the game, which form a tree beside it.
import {html, nothing} from "./lit-html.js";
import {panelHead} from "./controls.js";
import {say} from "./words.js";

export const SCRIPT = "./tries.js";

export class Panel {
  constructor(app) {
    this.app = app;
    this.wanted = null;   // the tried move that the person wants to see; null: none
    this.position = null; // what the server says of the position that is shown
    this.ask();
  }

  // What is shown

  // The tried move whose position is shown; null: a position of the game.
  get tried() {
    return this.app.tree.has(this.wanted) ? this.wanted : null;
  }

  get at() {
    return this.tried ?? this.app.shownPly();
  }

  // The tried moves that lead to the position that is shown.
  path() {
    const path = [];
    for (let id = this.tried; typeof id === "string"; id = path[0].after) path.unshift(this.app.tree.get(id));
    return path;
  }

  plies() {
    const {app} = this, path = this.path(), count = path.length ? path[0].after : app.shownPly();
    return [...app.table.plies.slice(0, count), ...path.map(({code}) => code)];
  }

  table() {
    const {table, ply} = this.app, last = this.path().at(-1) ?? (ply === null ? null : table.moves[ply - 1]);
    const sides = table.sides.length, first = table.moves[0]?.seat ?? table.toMove;
    const toMove = last ? (last.seat + 1) % sides : ply === 0 ? first : table.toMove;
    return table.there(toMove, this.position?.at === this.at ? this.position : null);
  }

  statusText() {
    const {look} = this.app, here = this.table(), last = this.path().at(-1);
    return [last ? say("Tried: {0}", look.moveName(last)) : say("Try moves from here."),
      !here.isOver && say("{0} to move.", look.sideName(here.toMove)), here.danger.length && say("Check!")].filter(Boolean).join(" ");
  }

  // What the person does

  ask() {
    this.app.send({type: "look", at: this.at});
  }

  go(at) {
    const {app} = this;
    if (typeof at === "number") { app.view(at); return; }
    this.wanted = at;
    app.chosen = null;
    this.changed();
  }

  changed() {
    this.ask();
    this.app.panels.lookBeside(this);
    this.app.render();
  }

  play(text) {
    this.app.send({type: "add", after: this.at, text});
  }

  // The positions to which one steps along the tried moves; null: the game is shown.
  steps() {
    if (this.tried === null) return null;
    const [next] = this.after(this.tried);
    let last = next;
    for (let each = next; each; [each] = this.after(each.id)) last = each;
    return {first: 0, back: this.path().at(-1).after, next: next?.id, last: last?.id};
  }

  // Another position of the game is shown.
  look() {
    this.wanted = null;
    this.ask();
  }

  close() {
    this.wanted = null;
  }

  receive(message) {
    const {app} = this;
    if (message.type === "added") this.go(message.at);
    else if (message.type === "position") { this.position = message; app.render(); }
    else if (message.type === "tree" && this.wanted !== this.tried) app.view(app.shownPly()); // it was removed
    else if (message.type === "state" && this.wanted === null) this.ask();
    else if (message.type === "tree") { this.ask(); app.render(); }
  }

  arrows() {
    return [];
  }

  // The tree

  after(at) {
    return [...this.app.tree.values()].filter((node) => node.after === at);
  }

  draw() {
    const {app} = this, starts = [...app.tree.values()].filter(({after}) => typeof after === "number").sort((a, b) => a.after - b.after);
    return html`<section class="card tries" aria-label=${say("Tried moves")}>
      ${panelHead(app, SCRIPT, say("Tried moves"), say("End trying"), this.tried === null ? "" :
        html`<button type="button" data-act="to-game" @click=${() => this.go(this.path()[0].after)}>${say("Back to the game")}</button>`)}
      ${starts.length ? html`<ul id="tree">${starts.map((node) => this.line(node, node.after))}</ul>` : html`<p class="empty">${say("Move pieces on the board: the game stays as it is.")}</p>`}
      ${this.tried === null ? "" : this.comment(app.tree.get(this.tried))}
    </section>`;
  }

  // A line: its moves, then the moves that were tried in place of one of them.
  line(node, ply) {
    const moves = [], others = [];
    for (let each = node, at = ply; each; at += 1) {
      const [next, ...rest] = this.after(each.id);
      moves.push(this.move(each, at, each === node));
      others.push(...rest.map((other) => this.line(other, at + 1)));
      each = next;
    }
    return html`<li>${moves}${others.length ? html`<ul>${others}</ul>` : ""}</li>`;
  }

  move(node, ply, isFirst) {
    const {app} = this, first = app.table.moves[0]?.seat ?? app.table.toMove, isSecond = node.seat % 2 === 1;
    const number = `${Math.floor((ply + first) / 2) + 1}${isSecond ? "…" : "."}`;
    return html`${isFirst || !isSecond ? html`<span class="number">${number}</span>` : ""}<button type="button" data-at=${node.id}
      aria-current=${node.id === this.tried ? "true" : nothing} @click=${() => this.go(node.id)}>${app.look.moveName(node)}</button>${node.comment ? html`<span class="comment">${node.comment}</span>` : ""}`;
  }

  comment(node) {
    const keep = ({target}) => {
      node.comment = target.value; // so that the next move's comment takes its place
      this.app.render();
      this.app.send({type: "comment", at: node.id, text: target.value});
    };
    return html`<div class="type-move"><input id="comment" maxlength="2000" aria-label=${say("Comment")} placeholder=${say("Comment")} .value=${node.comment} @change=${keep}>
      <button type="button" data-act="remove" @click=${() => this.app.send({type: "remove", at: node.id})}>${say("Remove")}</button></div>`;
  }
}
