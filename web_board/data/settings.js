// What this browser remembers: settings for all games, and settings of each game.
const KEY = "sanqi.board.settings";
const COMMON = {language: "", theme: "auto", contrast: "", sounds: true, targets: true};
const OF_GAME = {faces: "", labels: "", notation: "", numbers: false, flipped: false, setup: null};

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
