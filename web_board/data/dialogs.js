// The one dialog of the page.
import {render} from "./lit-html.js";

// What opens in the dialog. Its scripts are loaded when they are needed first.
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

  // Opens what a function of a script draws, which gets the app and the values.
  async openFrom(script, name, ...values) {
    try {
      const {[name]: draw} = await import(script);
      this.open(() => draw(this.app, ...values));
    } catch {
      this.app.refuseLost();
    }
  }
}
