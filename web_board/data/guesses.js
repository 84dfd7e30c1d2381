// A person's guesses about hidden pieces. They stay in this browser, and follow the pieces as they move.
const PREFIX = "sanqi.board.guesses.";
const KEPT_TABLES = 30;

export class Guesses {
  constructor(table) {
    this.key = PREFIX + table;
    this.origins = new Map(); // by the point where the piece stood at first: the guess
    try {
      this.origins = new Map(JSON.parse(localStorage.getItem(this.key)) || []);
    } catch { /* nothing was kept */ }
  }

  // `homes`: for each point with a piece, where that piece stood at first. Returns the guesses by point.
  on(pieces, homes, isHidden) {
    const found = new Map();
    for (const [point, kind] of pieces) {
      const guess = this.origins.get(homes.get(point));
      if (guess && isHidden(kind)) found.set(point, guess);
    }
    return found;
  }

  set(home, text) {
    if (text) this.origins.set(home, text);
    else this.origins.delete(home);
    this.keep();
  }

  keep() {
    try {
      localStorage.setItem(this.key, JSON.stringify([...this.origins]));
      const old = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && key !== this.key);
      for (const key of old.slice(0, Math.max(0, old.length - KEPT_TABLES))) localStorage.removeItem(key);
    } catch { /* no storage */ }
  }
}
