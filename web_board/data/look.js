// How this person wants to see this game: the settings of the game, and the names that follow from them.
import {gameSetting, setForGame} from "./settings.js";
import {say, translated} from "./words.js";

export class Look {
  constructor(table) {
    this.table = table;
  }

  get(name) {
    return gameSetting(this.table.game, name);
  }

  set(name, value) {
    setForGame(this.table.game, name, value);
  }

  faces() {
    return this.get("faces") || "text";
  }

  labelsName() {
    return this.chosenOf("labels", Object.keys(this.table.labels));
  }

  notation() {
    return this.chosenOf("notation", this.table.notations);
  }

  // The setting if this game has it, or else the default.
  chosenOf(setting, names) {
    const wanted = this.get(setting);
    return names.includes(wanted) ? wanted : names[0];
  }

  // How far the board is turned, in quarters: the person's own side is at the bottom.
  turns() {
    return (this.table.turnsOfSeat() + (this.get("flipped") ? 2 : 0)) % 4;
  }

  moveName(move) {
    return translated(move.names[this.notation()] ?? move.text);
  }

  sideName(seat) {
    return this.inWords(this.table.seats[seat].side);
  }

  // A side.
  inWords(side) {
    const name = say(side);
    return name[0].toUpperCase() + name.slice(1);
  }

  pointName(point) {
    return this.table.pointNames[point];
  }
}
