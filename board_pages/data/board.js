// A board, its pieces, and games that are played on it. board_pages/playback.py describes the data.
"use strict";
class BoardView {
  static DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  static LENGTHS = {m: 5, k: 5, b: 5, p: 4, t: 4, s: 2, o: 2};

  constructor(svg, board) {
    this.svg = svg;
    this.board = board;
    this.turns = 0; // quarter turns of the board, clockwise
    this.texts = board.texts; // what stands around the board and on it: [x, y, text]
    this.drawGrid();
  }

  static numberOf(text) {
    return BoardView.DIGITS.indexOf(text[0]) * 62 + BoardView.DIGITS.indexOf(text[1]);
  }

  // The changes of a ply: [letter, point, second point or kind].
  static changesOf(text) {
    const changes = [];
    for (let at = 0; at < text.length && BoardView.LENGTHS[text[at]]; at += BoardView.LENGTHS[text[at]]) {
      const words = text.slice(at + 1, at + BoardView.LENGTHS[text[at]]);
      const one = BoardView.numberOf(words);
      if ("so".includes(text[at])) changes.push([text[at], Number(words)]);
      else if ("pt".includes(text[at])) changes.push([text[at], one, BoardView.DIGITS.indexOf(words[2])]);
      else changes.push([text[at], one, words.length > 2 ? BoardView.numberOf(words.slice(2)) : -1]);
    }
    return changes;
  }

  // The pieces of a start position, kinds by points; '' is the board's own.
  startOf(text) {
    const pieces = new Map();
    text = text || this.board.start;
    for (let at = 0; at + 2 < text.length; at += 3)
      pieces.set(BoardView.numberOf(text.slice(at, at + 2)), BoardView.DIGITS.indexOf(text[at + 2]));
    return pieces;
  }

  // The text of a start position; a blank: there are no pieces.
  static startText(pieces) {
    const digits = BoardView.DIGITS;
    return [...pieces].map(([point, kind]) => digits[Math.floor(point / 62)] + digits[point % 62] + digits[kind]).join("") || " ";
  }

  // Plays a ply. Returns the points that it touched.
  play(pieces, text) {
    const {kinds} = this.board;
    let touched = [];
    for (const [letter, one, two] of BoardView.changesOf(text)) {
      if (letter === "p") { pieces.set(one, two); touched = [one]; }
      else if (letter === "t") { if (pieces.has(one)) pieces.set(one, two); }
      else if (letter === "o") { for (const [point, kind] of [...pieces]) if (kinds[kind]?.[1] === one) pieces.delete(point); }
      else if (letter !== "s") {
        touched = [one, two];
        if (letter === "m") pieces.set(two, pieces.get(one));
        if (letter === "b") pieces.delete(two);
        pieces.delete(one);
      }
    }
    return touched;
  }

  static add(parent, name, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return parent.appendChild(node);
  }

  at(x, y) {
    const {width, height} = this.board;
    return [[x, y], [height - y, x], [width - x, height - y], [y, width - x]][this.turns];
  }

  placeOf(point) {
    const place = this.board.points[point];
    return place ? this.at(place[0], place[1]) : null;
  }

  drawGrid() {
    const {board, svg} = this, add = BoardView.add;
    svg.replaceChildren();
    const texts = this.texts.map(([x, y, text]) => [...this.at(x, y), text]);
    const [width, height] = this.turns % 2 ? [board.height, board.width] : [board.width, board.height];
    const left = Math.min(-0.65, ...texts.map(([x]) => x - 0.4));
    const right = Math.max(width + 0.65, ...texts.map(([x]) => x + 0.4));
    const top = Math.min(-0.65, ...texts.map(([, y]) => y - 0.3));
    const bottom = Math.max(height + 0.65, ...texts.map(([, y]) => y + 0.3));
    svg.setAttribute("viewBox", [left, top, right - left, bottom - top].map((each) => each.toFixed(2)).join(" "));
    const grid = add(svg, "g", {class: "grid"});
    for (const [fromX, fromY, toX, toY, thickness] of board.lines) {
      const [x1, y1] = this.at(fromX, fromY), [x2, y2] = this.at(toX, toY);
      add(grid, "line", {x1, y1, x2, y2, "stroke-width": 0.03 * thickness});
    }
    for (const [x, y, , shape] of board.points) {
      const [cx, cy] = this.at(x, y);
      if (shape === "camp") add(grid, "circle", {cx, cy, r: 0.4});
      if (shape === "house") add(grid, "rect", {x: cx - 0.42, y: cy - 0.4, width: 0.84, height: 0.8});
      if (shape === "star") add(grid, "circle", {class: "star", cx, cy, r: 0.1});
    }
    for (const [x, y, text] of texts) this.addText(grid, x, y, 0.45, text);
    this.men = add(svg, "g", {});
  }

  addText(parent, x, y, size, text) {
    return BoardView.add(parent, "text", {x, y, "font-size": size}, text);
  }

  // Draws a move as an arrow, or a ring if it has one point.
  drawBetter(parent, better) {
    const add = BoardView.add, places = better.map((point) => this.placeOf(point)).filter(Boolean);
    if (!places.length) return;
    const mark = add(parent, "g", {class: "better"});
    if (places.length === 1) {
      const [[cx, cy]] = places;
      add(mark, "circle", {class: "under", cx, cy, r: 0.4});
      add(mark, "circle", {cx, cy, r: 0.4});
      return;
    }
    const [[x1, y1], [x2, y2]] = places, length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const x = (x2 - x1) / length, y = (y2 - y1) / length;
    const line = {x1: x1 + 0.2 * x, y1: y1 + 0.2 * y, x2: x2 - 0.4 * x, y2: y2 - 0.4 * y};
    const head = [[x2 - 0.05 * x, y2 - 0.05 * y], [x2 - 0.5 * x - 0.24 * y, y2 - 0.5 * y + 0.24 * x],
      [x2 - 0.5 * x + 0.24 * y, y2 - 0.5 * y - 0.24 * x]];
    const points = head.map((each) => each.map((value) => value.toFixed(3)).join(",")).join(" ");
    for (const look of ["under", ""]) {
      add(mark, "line", {class: look, ...line});
      add(mark, "polygon", {class: look, points});
    }
  }
}
