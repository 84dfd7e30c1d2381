// The dialog of a new game: which game, its options, and who plays each side.
import {html, svg} from "./lit-html.js";
import {GLYPHS, SYMBOLS} from "./faces.js";
import {choice, dialogHead, optionsOf} from "./controls.js";
import {say, translated} from "./words.js";
import {FOLLOWS, followingLevel, gameSetting, set, setting} from "./settings.js";

// The pictures of the games, by name; a game without one has its first letter.
const PICTURES = {
  xiangqi: svg`<circle cx="25" cy="25" r="23" fill="#fbf6e8" stroke="#a3120b" stroke-width="2"/><circle cx="25" cy="25" r="18.5" fill="none"
    stroke="#a3120b"/><path d=${GLYPHS["帥"]} transform="translate(25 25) scale(.066)" fill="#a3120b"/>`,
  gomoku: svg`<rect width="50" height="50" rx="8" fill="#e2c38a"/><path d="M9 2v46M25 2v46M41 2v46M2 9h46M2 25h46M2 41h46" stroke="#6b4f2a"/><circle cx="25" cy="25" r="8" fill="#23262b"/><circle
    cx="41" cy="9" r="8" fill="#fff" stroke="#555"/><circle cx="9" cy="41" r="8" fill="#23262b"/><circle cx="41" cy="25" r="8" fill="#fff" stroke="#555"/>`,
  junqi: svg`<rect x="3" y="3" width="44" height="44" rx="8" fill="#0f4d2e"/><path d=${SYMBOLS.F} transform="translate(24 26) scale(.085)" fill="#fff"/>`,
};

// docs/levels.md
const KINDS = ["For players who have just learnt the moves.", "For players who sometimes overlook an attack.",
  "For players who plan a move or two.", "For players who answer nearly every threat.",
  "For club players.", "For players who beat all other levels."];

// What the form starts with: the choices of the last time, where they are still possible.
function choicesFor(game) {
  const kept = gameSetting(game.name, "setup") || {};
  const options = Object.fromEntries(game.options.map(({name, value, choices}) => {
    const text = kept.options?.[name] ?? value;
    return [name, choices.length && !choices.includes(text) ? value : text];
  }));
  return {options, seats: kept.seats ?? [], clock: game.clocks.includes(kept.clock) ? kept.clock : ""};
}

export function setup(app) {
  const games = app.games();
  const game = games.find(({name}) => name === (app.setupGame ?? setting("game"))) ?? games[0];
  if (app.setupChoices?.game !== game.name) app.setupChoices = {game: game.name, ...choicesFor(game)};
  const {options, seats} = app.setupChoices;
  seats.length = game.seats(options).length; // an option may have changed it
  const change = (act) => (event) => { act(event.target); app.render(); };
  const go = (act) => (event) => {
    event.preventDefault();
    set("game", game.name);
    app[act]({...app.setupChoices, seats: seats.map((seat) => seat.level === FOLLOWS ? {...seat, level: followingLevel(game)} : seat)},
      seats.some((seat) => seat.player !== "person" && seat.level === FOLLOWS));
  };
  return html`<form @submit=${go("begin")}>
    ${dialogHead(say("New game"))}
    <fieldset><legend>${say("Game")}</legend><div class="games">${games.map((each) => html`
      <label><input type="radio" name="game" value=${each.name} ?checked=${each === game} @change=${change(() => { app.setupGame = each.name; })}>
        <svg viewBox="0 0 50 50" aria-hidden="true">${PICTURES[each.name] ?? svg`<text x="25" y="36" text-anchor="middle" font-size="34" fill="currentColor">${each.title[0]}</text>`}</svg>
        <span>${say(each.title)}</span></label>`)}</div></fieldset>
    <fieldset><legend>${say("Players")}</legend>${game.seats(options).map((side, at) => seatRow(game, side, seats, at, change))}</fieldset>
    ${game.clocks.length ? clockChoice(game, app.setupChoices, change) : ""}
    <div class="fields">${game.options.filter(({more}) => !more).map((option) => field(option, options, change))}</div>
    ${game.options.some(({more}) => more) ? html`<details><summary>${say("More options")}</summary>
      <div class="fields">${game.options.filter(({more}) => more).map((option) => field(option, options, change))}</div></details>` : ""}
    ${app.setupFault ? html`<p class="error" role="alert">${translated(app.setupFault)}</p>` : ""}
    <div class="foot">${game.setUp ? html`<button type="button" id="set-up" @click=${go("edit")}>${say(game.setUp)}</button>` : ""}<button class="main" id="begin" autofocus>${say("Begin")}</button></div>
  </form>`;
}

function seatRow(game, side, seats, at, change) {
  const seat = seats[at] ??= {}, name = say(side);
  const players = [["person", say("a person")], ...(game.guests ? [["guest", say("a person with a link")]] : []), ...game.engines.map((each) => [each.name, say(each.name)])];
  if (!players.some(([player]) => player === seat.player)) seat.player = at ? game.engines[0].name : "person"; // also for one of an earlier start
  const engine = game.engines.find((each) => each.name === seat.player);
  const levels = engine?.levels.length ? [FOLLOWS, ...engine.levels] : [];
  if (!levels.includes(seat.level)) seat.level = engine?.level ?? "";
  return html`<div class="seat-row">
    <span class="name">${name}</span>
    <select aria-label=${say("{0}: player", name)} name="player${at}" @change=${change((target) => { seat.player = target.value; })}>
      ${optionsOf(players, seat.player)}</select>
    ${levels.length ? html`<select aria-label=${say("{0}: level", name)} name="level${at}" @change=${change((target) => { seat.level = target.value; })}>
      ${optionsOf(levels.map((level) => [level, levelText(game, level)]), seat.level)}</select>
      <small>${levelMeaning(game, engine, seat.level)}</small>` : ""}
  </div>`;
}

function levelText(game, level) {
  return level === FOLLOWS ? say("follows you: {0}", followingLevel(game)) : say("level {0}", say(level));
}

// For whom a level is.
function levelMeaning(game, engine, level) {
  const number = Number(level === FOLLOWS ? followingLevel(game) : level);
  const kind = Number.isNaN(number) ? KINDS.length - 1 : engine.levelSteps.findLastIndex((least) => number >= least);
  return KINDS[kind] ? say(KINDS[kind]) : "";
}

function clockChoice(game, chosen, change) {
  const texts = game.clocks.map((clock) => [clock, say("{0} minutes, {1} seconds a move", ...clock.split("+"))]);
  return choice("clock", say("Clocks"), chosen.clock, [["", say("none")], ...texts], change((target) => { chosen.clock = target.value; }));
}

function field({name, title, kind, choices: each, help}, values, change) {
  const note = help ? html`<small>${translated(help)}</small>` : "", keep = change((target) => { values[name] = target.value; });
  if (kind === "choice") return choice(name, say(title), values[name], each.map((value) => [value, say(value)]), keep, note);
  return html`<label class="field"><span>${say(title)}</span><input name=${name} .value=${values[name]} @change=${keep}>${note}</label>`;
}
