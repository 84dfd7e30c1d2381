// Plays the games of a report on one board, with board.js and still_board.js.
// Text from an engine or a user is set as text, never as markup.
"use strict";
(() => {
  const {board, games} = JSON.parse(document.getElementById("games").textContent);
  const viewer = document.getElementById("viewer");
  if (!games.length || !viewer) return;
  const part = (name) => viewer.querySelector(`[data-part="${name}"]`);
  const byNumber = new Map(games.map((game, index) => [game.number, index]));
  let current = 0;   // index in games
  let plies = [];    // texts
  let ply = 0;

  const view = new StillBoard(part("board"), board);

  function show(target) {
    const game = games[current];
    ply = Math.max(0, Math.min(target, plies.length));
    const pieces = view.startOf(game.start);
    let last = {}, touched = [];
    for (const text of plies.slice(0, ply)) {
      last = view.describe(pieces, text);
      touched = view.play(pieces, text);
    }
    view.draw(pieces, touched);
    let status = `Ply ${ply} of ${plies.length}`;
    if (ply) status += `: ${last.mover} ${last.words}`;
    else if (!plies.length && game.plies === null) status = "The moves of this game cannot be shown";
    if (ply === plies.length) status += ` – ${game.result}, ${game.reason}${game.detail ? ` (${game.detail})` : ""}`;
    part("status").textContent = status;
    view.svg.setAttribute("aria-label", `Board after ${status}`);
    part("ply").value = ply;
    part("ply").setAttribute("aria-valuetext", status);
    for (const [name, off] of [["first", !ply], ["back", !ply], ["next", ply === plies.length], ["last", ply === plies.length]])
      part(name).setAttribute("aria-disabled", off);
    for (const node of part("moves").querySelectorAll("[aria-current]")) node.removeAttribute("aria-current");
    const chosen = ply ? part("moves").children[ply - 1] : null;
    if (chosen) {
      chosen.firstChild.setAttribute("aria-current", "true");
      const list = part("moves");
      list.scrollTop = chosen.offsetTop - list.clientHeight / 2;
    }
  }

  function open(index) {
    current = Math.max(0, Math.min(index, games.length - 1));
    const game = games[current];
    plies = game.plies ? game.plies.split(" ") : [];
    part("number").value = game.number;
    part("title").textContent = `${game.sides[0]} ${game.names[0]} – ${game.sides[1]} ${game.names[1]}`;
    part("ply").max = plies.length;
    const pieces = view.startOf(game.start);
    part("moves").replaceChildren(...plies.map((text, number) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1;
      button.textContent = `${number + 1}. ${view.describe(pieces, text).words}`;
      view.play(pieces, text);
      button.addEventListener("click", () => show(number + 1));
      item.append(button);
      return item;
    }));
    show(0);
  }

  const STEPS = {first: () => 0, back: () => ply - 1, next: () => ply + 1, last: () => plies.length};
  const KEYS = {ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last"};
  for (const [name, target] of Object.entries(STEPS)) part(name).addEventListener("click", () => show(target()));
  part("earlier").addEventListener("click", () => open(current - 1));
  part("later").addEventListener("click", () => open(current + 1));
  part("ply").addEventListener("input", (event) => show(Number(event.target.value)));
  part("number").addEventListener("change", (event) => {
    const index = byNumber.get(Number(event.target.value));
    if (index === undefined) event.target.value = games[current].number;
    else open(index);
  });
  viewer.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === part("number")) return;
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    show(STEPS[KEYS[event.key]]());
  });
  for (const button of document.querySelectorAll("button[data-game]"))
    button.addEventListener("click", () => {
      open(byNumber.get(Number(button.dataset.game)));
      viewer.scrollIntoView();
      part("ply").focus({preventScroll: true});
    });
  document.documentElement.classList.add("scripted");
  open(0);
})();
