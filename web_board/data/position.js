// The position after any number of moves, replayed from the start (board_pages/playback.py describes the texts).

// `board`: a BoardView. Returns the pieces (kinds by points), where each piece stood at first (`homes`), the points of
// the last move, and the numbers of the plies that put a piece on the board.
export function positionAfter(board, start, plies, count) {
  const pieces = board.startOf(start);
  const homes = new Map([...pieces.keys()].map((point) => [point, point])), numbers = new Map();
  let touched = [];
  plies.slice(0, count).forEach((text, index) => {
    for (const change of BoardView.changesOf(text)) follow(homes, change);
    ({touched} = board.play(pieces, text));
    if (touched.length === 1) numbers.set(touched[0], String(index + 1));
  });
  return {pieces, homes, touched, numbers};
}

function follow(homes, [letter, from, to]) {
  if (letter === "m") homes.set(to, homes.get(from));
  if (letter === "b") homes.delete(to);
  if ("mkb".includes(letter)) homes.delete(from);
}
