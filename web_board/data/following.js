// A level that follows the person: one higher after each win, one lower after each loss.
import {gameSetting, setForGame} from "./settings.js";

export const FOLLOWS = "follows";

export function followingLevel(game) {
  return gameSetting(game.name, "level") ?? game.engines[0].level;
}

// The table with this id is played at the level that follows.
export function follow(table) {
  setForGame(table.game, "followed", table.id);
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
