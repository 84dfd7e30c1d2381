// A board to play on: BoardView (board.js) with points that can be chosen, and marks over the pieces.
import {GLYPHS, SYMBOLS} from "./faces.js";

const UNITS = 500; // of the paths of characters and symbols
const DRAG_PIXELS = 6;
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const NOTHING = {pieces: new Map(), touched: [], chosen: null, targets: new Map(), mine: new Set(), forbidden: new Map(),
  danger: [], row: [], arrows: [], numbers: new Map(), guesses: new Map()};

export class LiveBoard extends BoardView {
  // `on` has functions: choose(point), move(from, to), cancel(), menu(point), nameOf(point, kind).
  constructor(svg, board, on) {
    super(svg, board);
    this.on = on;
    this.state = NOTHING;
    this.cursor = 0; // the point that Tab reaches
    this.show(NOTHING);
    this.listen();
  }

  // Grid

  drawGrid() {
    super.drawGrid();
    const {svg} = this;
    this.men.remove();
    this.drawGradients();
    this.under = BoardView.add(svg, "g", {class: "under-men"});
    svg.append(this.men);
    this.over = BoardView.add(svg, "g", {class: "over-men"});
    this.pointers = BoardView.add(svg, "g", {class: "over-men"});
    this.drawPoints();
    if (this.state) this.show(this.state);
  }

  drawGradients() {
    const defs = BoardView.add(this.svg, "defs", {});
    const shades = {dark: ["#5d636c", "#23262b", "#0e1013"], light: ["#ffffff", "#fbf6e8", "#d9d0ba"],
      seat0: ["#a05a18", "#7a3c00", "#5c2c00"], seat2: ["#1f7a4b", "#0f4d2e", "#083820"],
      seat1: ["#fdf2ff", "#f4dcfa", "#dcb9e6"], seat3: ["#eef5ff", "#d4e6ff", "#aecdf2"]};
    for (const [name, colours] of Object.entries(shades)) {
      const shade = BoardView.add(defs, "radialGradient", {id: `shade-${name}`, cx: 0.38, cy: 0.32, r: 0.75});
      colours.forEach((colour, at) => BoardView.add(shade, "stop", {offset: at / 2, "stop-color": colour}));
    }
  }

  drawPoints() {
    const layer = BoardView.add(this.svg, "g", {class: "points"});
    this.points = this.board.points.map(([x, y, name], point) => {
      const [cx, cy] = this.at(x, y);
      const node = BoardView.add(layer, "g", {class: "point", role: "button", tabindex: -1, "data-point": point, "data-name": name});
      BoardView.add(node, "circle", {cx, cy, r: 0.5});
      return node;
    });
  }

  // A text: as paths where we have its characters, so that it looks alike with any fonts.
  addText(parent, x, y, size, text) {
    const characters = [...text];
    if (!characters.every((each) => GLYPHS[each])) return super.addText(parent, x, y, size, text);
    const group = BoardView.add(parent, "g", {class: "text"});
    characters.forEach((each, at) => {
      const left = x + (at - (characters.length - 1) / 2) * size;
      LiveBoard.addPath(group, left, y, size, GLYPHS[each]);
    });
    return group;
  }

  static addPath(parent, x, y, size, d) {
    return BoardView.add(parent, "path", {d, transform: `translate(${x} ${y}) scale(${size / UNITS})`});
  }

  static addSymbol(parent, x, y, size, letter) {
    LiveBoard.addPath(parent, x, y, size, SYMBOLS[letter]).setAttribute("fill-rule", "evenodd");
  }

  // Position

  // Shows a position; what `state` leaves out is not there.
  show(state) {
    this.state = {...NOTHING, ...state};
    const {pieces, numbers} = this.state;
    this.men.replaceChildren();
    for (const [point, kind] of pieces)
      if (this.board.kinds[kind]) this.drawMan(this.men, point, kind, numbers.get(point));
    this.showMarks();
  }

  // Lets the piece on `to` come from `from`, for the eye.
  slide(from, to) {
    const man = this.manOn(to), start = this.placeOf(from), end = this.placeOf(to);
    if (!man || !start || !end || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const offset = `translate(${start[0] - end[0]}px, ${start[1] - end[1]}px)`;
    man.parentNode.append(man);
    man.firstChild.animate([{transform: offset}, {transform: "none"}], {duration: 180, easing: "ease-out"});
  }

  manOn(point) {
    return this.men.querySelector(`[data-man="${point}"]`);
  }

  drawMan(parent, point, kind, number) {
    const add = BoardView.add, [x, y] = this.placeOf(point);
    const [text, , look] = this.board.kinds[kind], letter = this.board.letters[kind] || "";
    const outer = add(parent, "g", {class: `man ${look}`, "data-man": point, transform: `translate(${x} ${y})`});
    const man = add(outer, "g", {});
    if (look === "blocked") { this.addText(man, 0, 0, 0.6, text); return outer; }
    LiveBoard.drawBody(man, look, Boolean(text));
    const face = this.faces === "letter" && letter ? letter : text;
    if (number) this.addText(man, 0, 0, 0.42, number);
    else if (face) this.drawFace(man, face, letter);
    return outer;
  }

  static drawBody(man, look, hasRing) {
    const add = BoardView.add, shade = look.match(/seat\d/) || look.match(/dark|light/), fill = `url(#shade-${shade})`;
    if (look.includes("square")) {
      add(man, "rect", {class: "shadow", x: -0.42, y: -0.38, width: 0.88, height: 0.86, rx: 0.1});
      add(man, "rect", {class: "body", x: -0.43, y: -0.43, width: 0.86, height: 0.86, rx: 0.1, fill});
      if (hasRing) add(man, "rect", {class: "ring", x: -0.37, y: -0.37, width: 0.74, height: 0.74, rx: 0.07});
      return;
    }
    add(man, "circle", {class: "shadow", cx: 0.025, cy: 0.05, r: 0.46});
    add(man, "circle", {class: "body", cx: 0, cy: 0, r: 0.46, fill});
    if (hasRing) add(man, "circle", {class: "ring", cx: 0, cy: 0, r: 0.385});
  }

  drawFace(man, face, letter) {
    const symbol = (text, x, y, size) => SYMBOLS[text] ? LiveBoard.addSymbol(man, x, y, size, text) :
      this.addText(man, x, y, size, text);
    if (face === letter) { symbol(letter, 0, 0, SYMBOLS[letter] ? 0.74 : 0.56); return; }
    this.addText(man, 0, 0, 0.58, face);
    if (this.faces !== "both" || !letter) return;
    BoardView.add(man, "circle", {class: "badge", cx: 0.33, cy: 0.33, r: 0.2});
    symbol(letter, 0.33, 0.33, 0.28);
  }

  // Marks

  showMarks() {
    const {touched, chosen, targets, forbidden, danger, row, arrows, guesses} = this.state;
    this.under.replaceChildren();
    this.over.replaceChildren();
    for (const point of danger) this.ring(this.under, point, "danger", 0.56);
    for (const point of touched) this.drawTouched(point);
    if (chosen !== null) this.ring(this.over, chosen, "chosen", 0.5);
    for (const point of targets.keys()) this.drawTarget(point);
    for (const point of row) this.ring(this.over, point, "row", 0.3);
    for (const point of forbidden.keys()) this.drawForbidden(point);
    for (const [point, text] of guesses) this.drawGuess(point, text);
    this.showArrows(arrows);
    this.points.forEach((node, point) => this.labelPoint(node, point));
  }

  showArrows(arrows) {
    this.pointers.replaceChildren();
    for (const arrow of arrows) this.drawArrow(arrow);
  }

  // A move that is recommended. `rank`: its place among several, the best one is 1; 0: there are no others. `look`:
  // another look, as `played` for a mistake.
  drawArrow({points, rank, look = ""}) {
    const arrow = BoardView.add(this.pointers, "g", {class: `arrow rank${rank} ${look}`});
    this.drawBetter(arrow, points);
    const [x, y] = this.placeOf(points.at(-1)) ?? [];
    const text = look ? "×" : rank;
    if (points.length === 1 && text) this.addText(arrow, x, y, 0.42, String(text));
  }

  ring(layer, point, look, r) {
    const [cx, cy] = this.placeOf(point);
    return BoardView.add(layer, "circle", {class: look, cx, cy, r});
  }

  // The last move: a dot on a stone, corners around a point.
  drawTouched(point) {
    const [x, y] = this.placeOf(point), kind = this.board.kinds[this.state.pieces.get(point)];
    if (kind && !kind[0]) {
      if (!this.state.numbers.has(point)) this.ring(this.over, point, "last-stone", 0.14);
      else this.ring(this.over, point, "last-numbered", 0.44);
      return;
    }
    const corner = (dx, dy) => `M${x + 0.5 * dx} ${y + 0.26 * dy}V${y + 0.5 * dy}H${x + 0.26 * dx}`;
    const d = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([dx, dy]) => corner(dx, dy)).join("");
    BoardView.add(this.over, "path", {class: "touched", d});
  }

  drawTarget(point) {
    if (this.state.pieces.has(point)) this.ring(this.over, point, "target take", 0.48);
    else this.ring(this.over, point, "target", 0.15);
  }

  drawForbidden(point) {
    const [x, y] = this.placeOf(point), r = 0.2;
    BoardView.add(this.over, "path", {class: "forbidden", d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`});
  }

  drawGuess(point, text) {
    const [x, y] = this.placeOf(point), mark = BoardView.add(this.over, "g", {class: "guess"});
    BoardView.add(mark, "circle", {cx: x, cy: y, r: 0.3});
    if (SYMBOLS[text] && this.faces === "letter") LiveBoard.addSymbol(mark, x, y, 0.45, text);
    else this.addText(mark, x, y, 0.4, text);
  }

  labelPoint(node, point) {
    const {pieces, targets, chosen, forbidden, mine} = this.state;
    node.setAttribute("aria-label", this.on.nameOf(point, pieces.get(point)));
    node.setAttribute("aria-pressed", chosen === point);
    node.classList.toggle("can-go", targets.has(point));
    node.classList.toggle("mine", mine.has(point));
    node.classList.toggle("is-forbidden", forbidden.has(point));
    node.setAttribute("tabindex", point === this.cursor ? 0 : -1);
  }

  // Input

  listen() {
    this.listening = new AbortController();
    const on = (name, act) => this.svg.addEventListener(name, act, {signal: this.listening.signal});
    on("click", (event) => this.click(event));
    on("keydown", (event) => this.key(event));
    on("contextmenu", (event) => this.contextMenu(event));
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.drag(event));
    on("pointerup", (event) => this.drop(event));
    on("pointercancel", () => this.endDrag());
    on("focusin", (event) => this.focusOn(LiveBoard.pointOf(event)));
  }

  // Another board takes the place of this one.
  close() {
    this.listening.abort();
  }

  static pointOf(event) {
    const node = event.target.closest(".point");
    return node ? Number(node.dataset.point) : null;
  }

  focusOn(point) {
    if (point === null) return;
    this.points[this.cursor].setAttribute("tabindex", -1);
    this.cursor = point;
    this.points[point].setAttribute("tabindex", 0);
  }

  click(event) {
    const point = LiveBoard.pointOf(event);
    if (point !== null && !this.wasDragged) this.on.choose(point);
    this.wasDragged = false;
  }

  contextMenu(event) {
    const point = LiveBoard.pointOf(event);
    if (point !== null && this.on.menu(point)) event.preventDefault();
  }

  key(event) {
    const point = LiveBoard.pointOf(event);
    if (point === null || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in ARROWS) this.step(point, ARROWS[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.on.choose(point);
    else if (event.key === "Escape") this.on.cancel();
    else if (event.key === "m" || event.key === "ContextMenu") this.on.menu(point);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Moves the focus to the next point in a direction, as the board is seen.
  step(point, [dx, dy]) {
    const [x, y] = this.placeOf(point);
    let best = null, least = Infinity;
    this.board.points.forEach((_, other) => {
      const [otherX, otherY] = this.placeOf(other);
      const along = (otherX - x) * dx + (otherY - y) * dy, across = Math.abs((otherX - x) * dy) + Math.abs((otherY - y) * dx);
      const cost = along + 3 * across;
      if (along > 0.1 && along >= across && cost < least) { best = other; least = cost; }
    });
    if (best !== null) this.points[best].focus();
  }

  // Dragging

  press(event) {
    const point = LiveBoard.pointOf(event);
    this.wasDragged = false;
    if (event.button || point === null || !this.state.mine.has(point)) return;
    this.held = {point, x: event.clientX, y: event.clientY, man: null, id: event.pointerId};
  }

  drag(event) {
    const {held} = this;
    if (!held || event.pointerId !== held.id) return;
    if (!held.man) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < DRAG_PIXELS) return;
      if (this.state.chosen !== held.point) this.on.choose(held.point);
      held.man = this.manOn(held.point);
      if (!held.man) { this.held = null; return; }
      this.svg.setPointerCapture(held.id);
      held.man.classList.add("held");
      held.man.parentNode.append(held.man);
    }
    const {x, y} = this.boardPlace(event);
    held.man.setAttribute("transform", `translate(${x} ${y})`);
  }

  drop(event) {
    const {held} = this;
    if (!held || !held.man) { this.held = null; return; }
    const to = this.nearest(this.boardPlace(event)), from = held.point;
    this.endDrag();
    this.wasDragged = true;
    if (to !== from) this.on.move(from, to);
  }

  endDrag() {
    const {held} = this;
    this.held = null;
    if (!held || !held.man) return;
    const [x, y] = this.placeOf(held.point);
    held.man.classList.remove("held");
    held.man.setAttribute("transform", `translate(${x} ${y})`);
  }

  boardPlace(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  nearest({x, y}) {
    const near = (point) => { const [px, py] = this.placeOf(point); return Math.hypot(px - x, py - y) < 0.6; };
    const point = this.board.points.findIndex((_, at) => near(at));
    return point < 0 ? null : point;
  }
}
