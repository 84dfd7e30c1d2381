// The game on the server as the page needs it: made of the messages `geometry` and `state` (docs/board-messages.md).
import {say} from "./words.js";

export class Table {
  constructor({table, turns, typed, pieceNames, ...others}) {
    Object.assign(this, others, {id: table, turnsBySeat: turns, typedExample: typed, names: pieceNames, sides: others.board.sides});
    this.numberOf = new Map(this.board.points.map(([, , name], number) => [name, number]));
    this.state = null;
  }

  // Takes a state over. Points come as names.
  take(state) {
    const {seat, moves, thinking, can, ...others} = state;
    Object.assign(this, others, {state, me: seat, moves, ply: moves.length, plies: moves.map(({code}) => code), isThinking: thinking, can: new Set(can)},
      this.rulesOf(state));
  }

  // What the rules say of a position: of the messages `state` and `position`.
  rulesOf({danger, row, forbidden, legal, fen}) {
    const points = (names) => names.map((name) => this.numberOf.get(name));
    return {danger: points(danger), row: points(row), fen,
      forbidden: new Map(Object.entries(forbidden).map(([name, reason]) => [this.numberOf.get(name), reason])),
      legal: legal.map((text) => this.moveOf(text)).filter(Boolean)};
  }

  // The same table in another position, where anyone may move. `position`: the message, or null if it is still to come.
  there(toMove, position) {
    const rules = position ?? {danger: [], row: [], forbidden: {}, legal: [], fen: ""};
    const there = Object.create(this, {isMyTurn: {value: true}, isOver: {value: position?.legal.length === 0}});
    return Object.assign(there, {toMove: position?.toMove ?? toMove, ...this.rulesOf(rules)});
  }

  // A legal move: its text, the point of the piece (null: a stone is put) and the point where it goes. null: a word.
  moveOf(text) {
    if (this.putsStones) return {text, from: null, to: this.numberOf.get(text)};
    for (let length = 2; length < text.length - 1; length += 1) {
      const from = this.numberOf.get(text.slice(0, length)), to = this.numberOf.get(text.slice(length));
      if (from !== undefined && to !== undefined) return {text, from, to};
    }
    return null;
  }

  get isOver() {
    return Boolean(this.verdict);
  }

  get isMyTurn() {
    return !this.isOver && this.me.includes(this.toMove) && this.seats[this.toMove].isPerson;
  }

  isOwn(point, pieces) {
    const kind = this.board.kinds[pieces.get(point)];
    return Boolean(kind) && kind[1] === this.toMove;
  }

  ownPoints(pieces) {
    return new Set([...pieces.keys()].filter((point) => this.isOwn(point, pieces)));
  }

  // Somebody has moved here, and it has not ended.
  isGoingOn() {
    return !this.verdict && this.moves.some(({ms}) => ms !== null);
  }

  // In which round of the list of moves a ply was made.
  round(ply) {
    return this.moves.slice(0, ply).filter(({seat}, at, all) => !(all[at - 1]?.seat < seat)).length;
  }

  // The look of a seat's pieces; '': it has none yet.
  lookOf(seat) {
    return this.board.kinds.find(([, side]) => this.sides[side] === this.seats[seat].side)?.[2] ?? "";
  }

  isHidden(kind) {
    return this.board.kinds[kind]?.[0] === "?";
  }

  // A piece in words.
  pieceName(kind) {
    const [text, side] = this.board.kinds[kind], letter = this.board.letters[kind];
    return [say(this.names[letter] ?? ""), text, say(this.sides[side])].filter(Boolean).join(" ");
  }

  // Texts that a guess can have, with the letters for people who do not read them.
  guessChoices() {
    const known = this.board.kinds.map(([text], kind) => [text, this.board.letters[kind] ?? ""]).filter(([text]) => text && text !== "?");
    return [...new Map(known)];
  }

  // Quarter turns that bring the person's seat to the bottom.
  turnsOfSeat() {
    return this.me.length ? this.turnsBySeat[this.me[0]] : 0;
  }

  // The seats that are shown above and below the board.
  seatsAround(turns) {
    const near = [], far = [];
    this.turnsBySeat.forEach((own, seat) => (own === turns ? near : far).push(seat));
    return near.length ? {near, far} : {near: far.slice(0, 1), far: far.slice(1)};
  }

  // Whether the last move took a piece.
  lastTakes() {
    return /^[kb]/.test(this.plies.at(-1) ?? "");
  }

  // The texts of the legal moves by the point where they go: of the piece on a point; null: of stones.
  movesFrom(point) {
    return new Map(this.legal.filter(({from}) => from === point).map(({to, text}) => [to, text]));
  }

  // What a choice of `point` does, while the piece on `chosen` is chosen (null: none): {chosen} is the piece that is
  // chosen afterwards, {move} the text of a move to play. An illegal move is sent, too: the server says why it is refused.
  choice(pieces, chosen, point) {
    const name = (each) => this.pointNames[each];
    if (this.putsStones) return {chosen: null, move: this.movesFrom(null).get(point) ?? name(point)};
    if (chosen === point) return {chosen: null};
    const isOwn = this.isOwn(point, pieces);
    if (chosen === null) return {chosen: isOwn ? point : null, isEmpty: !isOwn};
    const text = this.movesFrom(chosen).get(point);
    if (!text && isOwn) return {chosen: point};
    return {chosen: null, move: text ?? name(chosen) + name(point)};
  }
}

// The position after a number of plies, replayed from the start (board_pages/playback.py describes the texts).
// `board`: a BoardView. Returns the pieces (kinds by points), where each piece stood at first (`homes`), the points of
// the last move, and the numbers of the plies that put a piece on the board.
export function positionAfter(board, start, plies, count) {
  const pieces = board.startOf(start);
  const homes = new Map([...pieces.keys()].map((point) => [point, point])), numbers = new Map();
  let touched = [];
  plies.slice(0, count).forEach((text) => {
    for (const change of BoardView.changesOf(text)) follow(homes, change);
    touched = board.play(pieces, text);
    if (touched.length === 1) numbers.set(touched[0], String(numbers.size + 1));
  });
  return {pieces, homes, touched, numbers};
}

function follow(homes, [letter, from, to]) {
  if (letter === "m") homes.set(to, homes.get(from));
  if (letter === "b") homes.delete(to);
  if ("mkb".includes(letter)) homes.delete(from);
}
