// Adds a board to the games of a review, with board.js and still_board.js. All texts are in the page; this script only moves them about.
"use strict";
(() => {
  const boards = JSON.parse(document.getElementById("boards").textContent);
  const sections = [...document.querySelectorAll("section.game")];
  if (!sections.length) return;
  const viewer = document.getElementById("viewer").content.firstElementChild.cloneNode(true);
  const part = (name) => viewer.querySelector(`[data-part="${name}"]`);
  const step = (name) => viewer.querySelector(`[data-step="${name}"]`);
  const chooser = document.querySelector('select[data-part="game"]');
  const games = sections.map((section) => ({section}));
  let game = games[0];
  let ply = 0;        // moves that have been played
  let line = null;    // the line that the board shows instead of the game
  let view = null;    // null for a game without a board

  function button(text) {
    const node = document.createElement("button");
    node.type = "button";
    if (text !== undefined) node.textContent = text;
    return node;
  }

  // Reads a game from the page, and makes buttons of its moves and lines, when it is opened first.
  function prepare(each) {
    const {section} = each;
    each.list = section.querySelector(".list");
    each.cursor = section.querySelector(".cursor");
    each.plies = [...section.querySelectorAll("tr.ply")].map((row, index) => {
      const [, side, name, mark, score, loss] = [...row.cells].map((cell) => cell.textContent.trim());
      const choose = button(name);
      choose.tabIndex = -1;
      choose.addEventListener("click", () => show(index + 1));
      row.querySelector(".name").replaceChildren(choose);
      row.addEventListener("click", () => show(index + 1));
      const next = row.nextElementSibling;
      const detail = next && next.classList.contains("detail") ? next : null;
      const lines = detail ? [...detail.querySelectorAll(".line")].map((node) => lineOf(node, index + 1)) : [];
      return {row, choose, detail, lines, side, name, mark, score, loss, kind: row.dataset.mark || "", code: row.dataset.code,
        viewer: row.dataset.viewer, reveals: (row.dataset.reveals || "").split(" ").filter(Boolean)};
    });
    for (const {detail, lines} of each.plies)
      if (detail) detail.querySelectorAll(".line").forEach((node, index) => node.replaceWith(lineButton(lines[index])));
    const plot = section.querySelector(".plot");
    if (plot) {
      const go = (event) => {
        const {left, width} = plot.getBoundingClientRect();
        if (width) show(Math.round((event.clientX - left) / width * each.plies.length));
      };
      plot.addEventListener("pointerdown", go);
      plot.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
    }
  }

  function lineOf(node, number) {
    const names = [...node.children].map((child) => child.textContent);
    return {title: node.dataset.title, number, base: Number(node.dataset.base), names, codes: node.dataset.codes.split(" ").filter(Boolean), at: 0};
  }

  function lineButton(each) {
    const node = button();
    node.className = "line";
    node.append(each.names.join(" "));
    node.disabled = !each.codes.length || !("board" in game.section.dataset);
    node.addEventListener("click", () => enter(each));
    return node;
  }

  function open(number, target = 0) {
    game = games[Math.max(0, Math.min(number, games.length - 1))];
    for (const each of games) each.section.hidden = each !== game;
    if (!game.plies) prepare(game);
    game.section.querySelector(".place").append(viewer);
    game.views = (game.section.dataset.views || "").split(" ").filter(Boolean);
    step("eyes").hidden = part("eyesKey").hidden = !game.views.length;
    const board = boards[game.section.dataset.board];
    view = board ? new StillBoard(part("board"), board) : null;
    part("frame").hidden = part("options").hidden = !view;
    if (view) {
      part("faces").hidden = step("turn").hidden = !board.letters.length;
      part("numbers").hidden = Boolean(board.letters.length);
      view.faces = part("faces").querySelector("select").value;
      nameFaces(board);
      part("legend").textContent = [board.legend, `Square${board.letters.length ? "s" : ""}: the last move.`,
        `${board.letters.length ? "Arrow" : "Ring"}: the better move.`].filter(Boolean).join(" ");
      turn(step("turn").getAttribute("aria-pressed") === "true");
    } else part("legend").textContent = "";
    if (chooser) chooser.value = String(games.indexOf(game) + 1);
    line = null;
    show(target);
  }

  // The choice of the pieces' faces in the signs of the game.
  function nameFaces(board) {
    const first = [...board.letters].findIndex(Boolean);
    if (first < 0) return;
    const names = {both: `${board.kinds[first][0]} + ${board.letters[first]}`, text: board.kinds[first][0], letter: board.letters[first]};
    for (const option of part("faces").querySelectorAll("option")) option.textContent = names[option.value];
  }

  // The view of the side that made the shown move, or makes the first one; null: all pieces are shown.
  function eyes() {
    if (!view || !game.views.length || step("eyes").getAttribute("aria-pressed") !== "true") return null;
    const shown = game.plies[Math.max((line ? line.number : ply) - 1, 0)];
    return shown && game.views[shown.viewer] ? shown.viewer : null;
  }

  function turn(flipped) {
    step("turn").setAttribute("aria-pressed", flipped);
    if (!view) return;
    view.turns = flipped && view.board.letters.length ? 2 : 0;
    view.drawGrid();
  }

  // Shows the game after this many moves.
  function show(target) {
    line = null;
    ply = Math.max(0, Math.min(target, game.plies.length));
    update();
  }

  // Shows a line on the board, from its first move on.
  function enter(each) {
    ply = each.number;
    line = each;
    line.at = 1;
    update();
    part("frame").focus({preventScroll: true});
    reveal();
  }

  // Scrolls the page if the board, the buttons or the text below them cannot be seen.
  function reveal() {
    const top = viewer.getBoundingClientRect().top, bottom = part("status").getBoundingClientRect().bottom;
    if ((top < 0 || bottom > window.innerHeight) && viewer.scrollIntoView) viewer.scrollIntoView({block: "start"});
  }

  function showLine(target) {
    line.at = Math.max(0, Math.min(target, line.codes.length));
    update();
  }

  function leave() {
    if (line) show(line.number);
  }

  function update() {
    if (view) drawBoard();
    const viewer = eyes();
    let text = line ? lineText() : gameText();
    if (viewer !== null) text = `${text.replace(/\.$/, "")}. Pieces as ${sideOf(viewer)} knew them before the move.`;
    part("status").textContent = text;
    part("board").setAttribute("aria-label", `Board. ${text}`);
    const {at, end} = line ? {at: line.at, end: line.codes.length} : {at: ply, end: game.plies.length};
    for (const [name, off] of [["first", !at], ["back", !at], ["next", at === end], ["last", at === end],
      ["previousMark", !markBefore()], ["nextMark", !markAfter()]])
      step(name).setAttribute("aria-disabled", off);
    part("line").hidden = !line;
    part("steps").replaceChildren(...(line ? line.codes.map(stepButton) : []));
    showDetail();
    showInList();
    if (game.cursor) {
      const x = `${100 * ply / Math.max(1, game.plies.length)}%`;
      for (const name of ["x1", "x2"]) game.cursor.setAttribute(name, x);
      game.cursor.setAttribute("visibility", "visible");
    }
  }

  function sideOf(viewer) {
    return game.plies.find((each) => each.viewer === viewer).side;
  }

  function gameText() {
    const count = game.plies.length;
    if (!ply) return count ? `Start of the game. ${count} moves.` : "The game has no moves.";
    const {side, name, kind, mark, score, loss} = game.plies[ply - 1];
    let text = `${ply}. ${side} ${name}`;
    if (kind) text += ` ${mark} ${kind}${loss ? `, loses ${loss} points` : ""}`;
    else if (mark) text += mark.endsWith("%") ? ` (${mark} likely)` : `, ${mark}`;
    if (score) text += `. ${score.endsWith("%") ? `${game.section.dataset.first}: ${score}` : `Forced win: ${score}`}`;
    return ply === count ? `${text}. End.` : text;
  }

  function lineText() {
    if (!line.at) return `${line.title}: the position before it`;
    return `${line.title}: step ${line.at} of ${line.codes.length}, ${line.names[line.at - 1]}`;
  }

  function drawBoard() {
    const viewer = eyes(), pieces = view.startOf(viewer === null ? game.section.dataset.start : game.views[viewer]);
    const wanted = part("numbers").querySelector("input").checked, numbers = new Map();
    const shown = game.plies.slice(0, line ? line.base : ply);
    let touched = [];
    const play = (code, number, numbered) => {
      touched = view.play(pieces, code);
      if (numbered && touched.length === 1) numbers.set(touched[0], String(number));
    };
    // A side sees what it knew before the move.
    const known = line ? line.base : ply - 1;
    shown.forEach(({code, reveals}, index) => {
      play(code, index + 1, wanted);
      for (const each of index < known && viewer !== null ? reveals : [])
        if (each[0] === viewer) view.play(pieces, each.slice(1));
    });
    if (line) {
      numbers.clear();
      line.codes.slice(0, line.at).forEach((code, index) => play(code, index + 1, true));
    }
    const best = !line && ply ? game.plies[ply - 1].lines[0] : null;
    const better = best && best.base < ply && best.codes.length ? BoardView.changesOf(best.codes[0])[0] : [];
    view.draw(pieces, touched, numbers, "mkb".includes(better[0]) ? [better[1], better[2]] : better.slice(1, 2));
  }

  function stepButton(_, index) {
    const node = button(line.names[index]);
    node.tabIndex = -1;
    if (index === line.at - 1) node.setAttribute("aria-current", "step");
    const each = line;
    node.addEventListener("click", () => { if (line === each) showLine(index + 1); });
    return node;
  }

  // What is said of the move, and the buttons of its lines.
  function showDetail() {
    const chosen = ply && !line ? game.plies[ply - 1] : null;
    const cell = chosen && chosen.detail ? chosen.detail.cells[0].cloneNode(true) : null;
    if (cell) cell.querySelectorAll(".line").forEach((node, index) => node.replaceWith(lineButton(chosen.lines[index])));
    part("detail").replaceChildren(...(cell ? cell.childNodes : []));
  }

  function showInList() {
    if (!game.list) return;
    const inList = document.activeElement && document.activeElement.closest(".name") && game.list.contains(document.activeElement);
    if (game.chosen) {
      game.chosen.row.classList.remove("chosen");
      game.chosen.choose.removeAttribute("aria-current");
      game.chosen.choose.tabIndex = -1;
    }
    const chosen = game.plies[ply - 1] || null, first = game.plies[0];
    (chosen || first).choose.tabIndex = 0;
    if (chosen) {
      if (chosen !== first) first.choose.tabIndex = -1;
      chosen.row.classList.add("chosen");
      chosen.choose.setAttribute("aria-current", "true");
      if (inList) chosen.choose.focus({preventScroll: true});
      game.list.scrollTop = chosen.row.offsetTop - game.list.clientHeight / 3;
    } else game.list.scrollTop = 0;
    game.chosen = chosen;
  }

  function markAfter() {
    const index = game.plies.findIndex(({kind}, at) => at >= ply && kind);
    return index + 1;
  }

  function markBefore() {
    for (let at = ply - 2; at >= 0; at--) if (game.plies[at].kind) return at + 1;
    return 0;
  }

  const actions = {
    first: () => line ? showLine(0) : show(0),
    back: () => line ? line.at ? showLine(line.at - 1) : show(line.base) : show(ply - 1),
    next: () => line ? showLine(line.at + 1) : show(ply + 1),
    last: () => line ? showLine(line.codes.length) : show(game.plies.length),
    previousMark: () => { const mark = markBefore(); if (mark) show(mark); },
    nextMark: () => { const mark = markAfter(); if (mark) show(mark); },
    better: () => { const each = ply && game.plies[ply - 1].lines[0]; if (line) leave(); else if (view && each && each.codes.length) enter(each); },
    leave,
    eyes: () => {
      if (!view || !game.views.length) return;
      step("eyes").setAttribute("aria-pressed", step("eyes").getAttribute("aria-pressed") !== "true");
      update();
    },
    turn: () => { turn(step("turn").getAttribute("aria-pressed") !== "true"); update(); },
  };
  const KEYS = {ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", n: "nextMark", p: "previousMark",
    b: "better", v: "eyes", Escape: "leave"};

  for (const node of viewer.querySelectorAll("[data-step]"))
    node.addEventListener("click", () => {
      actions[node.dataset.step]();
      if (node.dataset.step === "leave") part("frame").focus({preventScroll: true});
    });
  part("faces").querySelector("select").addEventListener("change", (event) => { view.faces = event.target.value; update(); });
  part("numbers").querySelector("input").addEventListener("change", update);
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const inside = game.section.contains(event.target) || event.target.matches("[data-go]"), action = KEYS[event.key];
    // Home and End also scroll the page, so they need the focus in the game.
    if (!action || !(inside || event.target === document.body && !["Home", "End"].includes(event.key))) return;
    if (event.target.closest("select, textarea, input:not([type=checkbox])")) return;
    event.preventDefault();
    actions[action]();
  });

  const follow = (hash) => {
    const found = /^#g(\d+)(?:p(\d+))?$/.exec(hash);
    if (!found || !games[found[1] - 1]) return false;
    open(found[1] - 1, Number(found[2] || 0));
    return true;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#g"]');
    if (!link || !follow(link.getAttribute("href"))) return;
    event.preventDefault();
    if (view) part("frame").focus({preventScroll: true});
    if (link.closest(".game")) reveal();
    else if (game.section.scrollIntoView) game.section.scrollIntoView({block: "start"});
  });
  window.addEventListener("hashchange", () => follow(location.hash));
  if (chooser) {
    let pointed = false; // by keys one goes through the list, and stays in it
    chooser.addEventListener("pointerdown", () => { pointed = true; });
    chooser.addEventListener("keydown", () => { pointed = false; });
    chooser.addEventListener("change", () => {
      open(Number(chooser.value) - 1);
      if (pointed && view) part("frame").focus({preventScroll: true});
    });
  }
  for (const node of document.querySelectorAll("[data-go]"))
    node.addEventListener("click", () => open(games.indexOf(game) + Number(node.dataset.go)));

  document.documentElement.classList.add("scripted"); // first, since it gives the list its height
  // The browser scrolls to the row of the address by itself; the board is wanted beside it.
  if (follow(location.hash)) window.addEventListener("load", () => { showInList(); reveal(); });
  else open(0);
})();
