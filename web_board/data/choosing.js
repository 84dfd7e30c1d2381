// How a person makes a move on the board: one point for a stone; for a piece its point, then where it goes.

// The legal moves as the board needs them: by the point of a piece (null: stones are put on empty points), the text of
// the move by the point where it goes.
export function movesByPoint(legal) {
  const moves = new Map();
  for (const {text, from, to} of legal) {
    if (!moves.has(from)) moves.set(from, new Map());
    moves.get(from).set(to, text);
  }
  return moves;
}

// What a choice of `point` does: {chosen} is the piece that is chosen afterwards, {move} the text of a move to play. An
// illegal move is sent, too: the server says why it is refused.
export function chosenPoint(table, pieces, chosen, point) {
  const moves = movesByPoint(table.legal);
  const name = (each) => table.board.points[each][2];
  if (table.putsStones) return {chosen: null, move: moves.get(null)?.get(point) ?? name(point)};
  if (chosen === point) return {chosen: null};
  const isOwn = table.isOwn(point, pieces);
  if (chosen === null) return {chosen: isOwn ? point : null, isEmpty: !isOwn};
  const text = moves.get(chosen)?.get(point);
  if (!text && isOwn) return {chosen: point};
  return {chosen: null, move: text ?? name(chosen) + name(point)};
}
