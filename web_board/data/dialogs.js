// The one dialog of the page, and what opens in it. Most scripts of dialogs are loaded when they are needed first.
import {render} from "./lit-html.js";
import {guessMenu} from "./guesses.js";
import {say} from "./words.js";

export class Dialogs {
  constructor(app) {
    this.app = app;
    this.node = document.getElementById("dialog");
    this.draw = null; // what draws the open one
    this.node.addEventListener("close", () => { this.draw = null; });
  }

  get isOpen() {
    return this.node.open;
  }

  close() {
    if (this.isOpen) this.node.close();
  }

  render() {
    if (this.draw) render(this.draw(), this.node);
  }

  open(draw) {
    this.draw = draw;
    this.render();
    if (!this.isOpen) this.node.showModal();
  }

  async openFrom(script, draw) {
    try {
      const parts = await import(script);
      this.open(() => draw(parts));
    } catch {
      this.app.refuse(say("Connection lost. Trying again …"));
    }
  }

  openSetup() {
    return this.openFrom("./setup.js", ({setup}) => setup(this.app));
  }

  openPreferences() {
    return this.openFrom("./preferences.js", ({preferences}) => preferences(this.app));
  }

  openLinks() {
    return this.openFrom("./links.js", ({linksDialog}) => linksDialog(this.app));
  }

  openSave() {
    return this.openFrom("./files.js", ({saveDialog}) => saveDialog(this.app));
  }

  openGuess(point) {
    this.open(() => guessMenu(this.app, point));
  }
}
