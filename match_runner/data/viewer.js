// Plays the games of a report on one board. match_runner/playback.py describes the data.
// Text from an engine or a user is set as text, never as markup.
"use strict";
(() => {
  const {board, games} = JSON.parse(document.getElementById("games").textContent);
  const viewer = document.getElementById("viewer");
  if (!games.length || !viewer) return;
  const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const LENGTHS = {m: 5, k: 5, b: 5, p: 4, r: 3, s: 2};
  const SVG = "http://www.w3.org/2000/svg";
  const part = (name) => viewer.querySelector(`[data-part="${name}"]`);
  const numberOf = (text) => DIGITS.indexOf(text[0]) * 62 + DIGITS.indexOf(text[1]);
  const byNumber = new Map(games.map((game, index) => [game.number, index]));
  let current = 0;   // index in games
  let plies = [];    // texts
  let ply = 0;

  function draw(parent, name, attributes, text) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return parent.appendChild(node);
  }

  const svg = part("board");
  svg.setAttribute("viewBox", `-1.3 -0.8 ${board.width + 2.1} ${board.height + 2}`);
  const grid = draw(svg, "g", {class: "grid"});
  for (const [x1, y1, x2, y2, thickness] of board.lines)
    draw(grid, "line", {x1, y1, x2, y2, "stroke-width": 0.03 * thickness});
  for (const [x, y, , shape] of board.points) {
    if (shape === "camp") draw(grid, "circle", {cx: x, cy: y, r: 0.4});
    if (shape === "house") draw(grid, "rect", {x: x - 0.42, y: y - 0.4, width: 0.84, height: 0.8});
  }
  for (const [x, y, text] of board.texts) draw(grid, "text", {x, y, "dominant-baseline": "central"}, text);
  const men = draw(svg, "g", {});

  // The changes of a ply: [letter, point, second point or kind].
  function changesOf(text) {
    const changes = [];
    for (let at = 0; at < text.length && LENGTHS[text[at]]; at += LENGTHS[text[at]]) {
      const words = text.slice(at + 1, at + LENGTHS[text[at]]);
      if (text[at] === "s") changes.push(["s", Number(words)]);
      else if (text[at] === "p") changes.push(["p", numberOf(words), DIGITS.indexOf(words[2])]);
      else changes.push([text[at], numberOf(words), words.length > 2 ? numberOf(words.slice(2)) : -1]);
    }
    return changes;
  }

  function startOf(game) {
    const pieces = new Map();
    const text = game.start || board.start;
    for (let at = 0; at + 2 < text.length; at += 3)
      pieces.set(numberOf(text.slice(at, at + 2)), DIGITS.indexOf(text[at + 2]));
    return pieces;
  }

  // Plays a ply. Returns who moved, the move in words, and the points that it touched.
  function play(pieces, text) {
    let mover = "", words = "", touched = [];
    const name = (point) => board.points[point] ? board.points[point][2] : "?";
    const kindOf = (point) => board.kinds[pieces.get(point)];
    const sideOf = (kind) => kind ? board.sides[kind[1]] : "";
    const removed = new Set();
    for (const [letter, one, two] of changesOf(text)) {
      if (letter === "s") { mover = board.sides[one] || ""; words = "does not move"; }
      else if (letter === "p") {
        pieces.set(one, two); mover = sideOf(board.kinds[two]); words = name(one); touched = [one];
      } else if (letter === "r") { removed.add(sideOf(kindOf(one))); pieces.delete(one); }
      else {
        const piece = kindOf(one), met = kindOf(two);
        mover = sideOf(piece); touched = [one, two];
        words = `${piece ? piece[0] : ""} ${name(one)}${name(two)}`.trim();
        if (letter === "m") { if (met) words += ` takes ${met[0]}`; pieces.set(two, pieces.get(one)); }
        if (letter === "k") words += ` is lost to ${met ? met[0] : "?"}`;
        if (letter === "b") { words += `, both lost (${met ? met[0] : "?"})`; pieces.delete(two); }
        pieces.delete(one);
      }
    }
    for (const side of removed) words += `; ${side} is out`;
    return {mover, words, touched};
  }

  function drawPieces(pieces, touched) {
    men.replaceChildren();
    for (const [point, number] of pieces) {
      const place = board.points[point], kind = board.kinds[number];
      if (!place || !kind) continue;
      const [x, y] = place, [text, , look] = kind;
      const man = draw(men, "g", {class: `man ${look}`});
      if (look.includes("square")) draw(man, "rect", {x: x - 0.43, y: y - 0.43, width: 0.86, height: 0.86, rx: 0.06});
      else draw(man, "circle", {cx: x, cy: y, r: 0.46});
      if (text) draw(man, "text", {x, y, "font-size": 0.6}, text);
    }
    for (const point of touched) {
      const place = board.points[point];
      if (place) draw(men, "rect", {class: "touched", x: place[0] - 0.5, y: place[1] - 0.5, width: 1, height: 1});
    }
  }

  function show(target) {
    const game = games[current];
    ply = Math.max(0, Math.min(target, plies.length));
    const pieces = startOf(game);
    let last = {mover: "", words: "", touched: []};
    for (const text of plies.slice(0, ply)) last = play(pieces, text);
    drawPieces(pieces, last.touched);
    let status = `Ply ${ply} of ${plies.length}`;
    if (ply) status += `: ${last.mover} ${last.words}`;
    else if (!plies.length && game.plies === null) status = "The moves of this game cannot be shown";
    if (ply === plies.length) status += ` – ${game.result}, ${game.reason}${game.detail ? ` (${game.detail})` : ""}`;
    part("status").textContent = status;
    svg.setAttribute("aria-label", `Board after ${status}`);
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
    const pieces = startOf(game);
    part("moves").replaceChildren(...plies.map((text, number) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1;
      button.textContent = `${number + 1}. ${play(pieces, text).words}`;
      button.addEventListener("click", () => show(number + 1));
      item.append(button);
      return item;
    }));
    show(0);
  }

  part("first").addEventListener("click", () => show(0));
  part("back").addEventListener("click", () => show(ply - 1));
  part("next").addEventListener("click", () => show(ply + 1));
  part("last").addEventListener("click", () => show(plies.length));
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
    const targets = {ArrowLeft: ply - 1, ArrowRight: ply + 1, Home: 0, End: plies.length};
    if (!(event.key in targets)) return;
    event.preventDefault();
    show(targets[event.key]);
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
