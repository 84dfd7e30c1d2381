// The board of a page that shows finished games: it draws their positions, and says moves in words.
"use strict";
class StillBoard extends BoardView {
  faces = "both"; // of pieces that have a letter: "text", "letter", "both"

  // Who moves with a ply that is played on these pieces, and the move in words.
  describe(pieces, text) {
    const {kinds, points, sides} = this.board;
    let mover = "", words = "";
    const name = (point) => points[point]?.[2] ?? "?", kindOf = (point) => kinds[pieces.get(point)];
    const sideOf = (kind) => sides[kind?.[1]] ?? "";
    const removed = new Set();
    for (const [letter, one, two] of BoardView.changesOf(text)) {
      if (letter === "s") { mover = sides[one] ?? ""; words = "does not move"; }
      else if (letter === "p") { mover = sideOf(kinds[two]); words = name(one); }
      else if (letter === "o") removed.add(sides[one]);
      else if (letter !== "t") {
        const piece = kindOf(one), met = kindOf(two);
        mover = sideOf(piece);
        words = `${piece?.[0] ?? ""} ${name(one)}${name(two)}`.trim();
        if (letter === "m" && met) words += ` takes ${met[0]}`;
        if (letter === "k") words += ` is lost to ${met?.[0] ?? "?"}`;
        if (letter === "b") words += `, both lost (${met?.[0] ?? "?"})`;
      }
    }
    for (const side of removed) words += `; ${side} is out`;
    return {mover, words};
  }

  // Draws the pieces, and squares around the points of the last move. `numbers` has a text for a point instead of the
  // piece's own. `better` is the better move: its points, drawn as an arrow or a ring.
  draw(pieces, touched, numbers = new Map(), better = []) {
    const {men} = this, add = BoardView.add;
    men.replaceChildren();
    for (const [point, number] of pieces)
      if (this.placeOf(point) && this.board.kinds[number]) this.drawMan(men, point, number, numbers.get(point));
    for (const point of touched) {
      const place = this.placeOf(point);
      if (place) add(men, "rect", {class: "touched", x: place[0] - 0.5, y: place[1] - 0.5, width: 1, height: 1});
    }
    this.drawBetter(men, better);
  }

  // Draws a piece of a kind, with a number on it, if any.
  drawMan(parent, point, kind, number) {
    const add = BoardView.add, [x, y] = this.placeOf(point);
    const [own, , look] = this.board.kinds[kind], letter = this.board.letters[kind] || "";
    const man = add(parent, "g", {class: `man ${look}`});
    if (look.includes("square")) add(man, "rect", {x: x - 0.43, y: y - 0.43, width: 0.86, height: 0.86, rx: 0.06});
    else add(man, "circle", {cx: x, cy: y, r: 0.46});
    const text = letter && this.faces === "letter" ? letter : number || own;
    if (text) this.addText(man, x, y, number ? 0.42 : 0.6, text);
    if (letter && this.faces === "both") {
      add(man, "circle", {class: "badge", cx: x + 0.33, cy: y + 0.33, r: 0.19});
      this.addText(man, x + 0.33, y + 0.34, 0.3, letter);
    }
    return man;
  }
}
