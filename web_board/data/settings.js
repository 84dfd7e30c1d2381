// What this browser remembers: settings for all games, settings of each game, and the level that follows the person.
const KEY = "sanqi.board.settings";
const COMMON = {language: "", theme: "auto", contrast: "", sounds: true, targets: true};
const OF_GAME = {faces: "", labels: "", notation: "", numbers: false, flipped: false, lines: 3, setup: null, level: null, followed: null};

function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return {};
  }
}

let all = stored();

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch { /* private windows may have no storage */ }
}

export function setting(name) {
  return (all.common || {})[name] ?? COMMON[name];
}

export function set(name, value) {
  all = {...all, common: {...all.common, [name]: value}};
  keep();
}

export function gameSetting(game, name) {
  return ((all.games || {})[game] || {})[name] ?? OF_GAME[name];
}

export function setForGame(game, name, value) {
  all = {...all, games: {...all.games, [game]: {...(all.games || {})[game], [name]: value}}};
  keep();
}

export function language() {
  return setting("language") || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");
}

// The theme and the contrast that are wanted, as attributes for the style sheet.
export function applyTheme() {
  const root = document.documentElement, theme = setting("theme"), contrast = setting("contrast");
  const isDark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = isDark ? "dark" : "light";
  root.dataset.contrast = contrast || (matchMedia("(prefers-contrast: more)").matches ? "more" : "usual");
  root.lang = language() === "zh" ? "zh-Hans" : "en";
}

// A level that follows: one higher after each win, one lower after each loss

export const FOLLOWS = "follows";

export function followingLevel(game) {
  return gameSetting(game.name, "level") ?? game.engines[0].level;
}

// The table with this id is played at the level that follows.
export function follow(game, table) {
  setForGame(game, "followed", table);
}

// The level of the next game, if a game at this level is over now; null: it is not, or it was told already.
export function levelAfter(table, game) {
  if (!table.verdict || gameSetting(table.game, "followed") !== table.id) return null;
  setForGame(table.game, "followed", null);
  const numbers = game.engines[0].levels.map(Number).filter((level) => level > 0);
  const next = Number(followingLevel(game)) + ({true: 1, false: -1}[table.verdict.won] ?? 0);
  const level = String(Math.min(Math.max(next, Math.min(...numbers)), Math.max(...numbers)));
  setForGame(table.game, "level", level);
  return level;
}
