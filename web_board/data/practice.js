// Practice: the position before a mistake of the person, who looks for a better move.
import {html} from "./lit-html.js";
import {button, reason} from "./controls.js";
import {Review} from "./review.js";
import {alarm, speak} from "./speech.js";
import {say} from "./words.js";

export class Practice {
  // `table`: whose mistakes; null: those of all games.
  constructor(app, table) {
    this.app = app;
    this.table = table;
    this.exercises = [];
    this.index = -1;
    this.feedback = "";
    this.isShown = false; // whether the board shows an exercise
    this.tried = [];       // the arrow of the last try
  }

  get exercise() {
    return this.exercises[this.index];
  }

  ask() {
    this.app.send({type: "practise", table: this.table});
  }

  send(type, fields = {}) {
    const {table, ply} = this.exercise;
    this.app.send({type, table, ply, ...fields});
  }

  // Messages

  take(message) {
    if (message.type === "practice") this.takeList(message);
    else if (!this.exercise || message.table !== this.exercise.table || message.ply !== this.exercise.ply) return;
    else if (message.type === "exercise") this.takeExercise(message);
    else if (message.type === "judging") this.tell(say("Thinking …"));
    else if (message.type === "tried") this.takeTried(message);
    else this.takeSolution(message);
  }

  takeList({exercises}) {
    const old = this.exercise;
    this.exercises = exercises;
    this.index = exercises.findIndex((each) => old ? each.table === old.table && each.ply === old.ply : each.result !== "right");
    if (this.index < 0 && exercises.length) this.index = 0;
    if (this.exercise) this.send("exercise");
    else this.app.leaveAside(say("There is no mistake to practise."));
  }

  takeExercise(message) {
    this.isShown = true;
    this.tried = [];
    this.app.showTable(message.geometry, message.state);
    this.tell(say("You made a mistake here. Find a better move."));
  }

  takeTried({isRight, names, text, points}) {
    const name = this.app.look.moveName({names, text});
    this.tried = [{points, rank: 0, look: isRight ? "" : "played"}];
    if (isRight && !this.app.review) this.exercise.result = "right";
    this.tell(isRight ? say("{0} is right.", name) : say("{0} is not better. Try again.", name), !isRight);
  }

  takeSolution({found}) {
    if (this.exercise.result !== "right") this.exercise.result = "shown";
    this.app.review = new Review(this.app, {status: "done", plies: [found]});
    this.app.review.choose(found.ply);
  }

  arrows() {
    return this.tried;
  }

  tell(text, isAlarm = false) {
    this.feedback = text;
    (isAlarm ? alarm : speak)(text);
    this.app.render();
  }

  // What the person does

  try(text) {
    this.send("try", {text});
  }

  next() {
    this.index = (this.index + 1) % this.exercises.length;
    this.send("exercise");
  }

  // Beside the board

  view() {
    const {exercises, index, app} = this, done = exercises.filter(({result}) => result === "right").length;
    return html`<div class="card practice" id="practice">
      <div class="row-of"><h2>${say("Practise")}</h2><span>${say("{0} of {1}", index + 1, exercises.length)}</span><span class="done">${say("{0} found", done)}</span></div>
      <p class="status" id="feedback">${this.feedback}</p>${reason(app)}
      <div class="actions">
        ${button("hint", say("Show"), () => this.send("solution"))}
        ${exercises.length > 1 ? button("next", say("Next"), () => this.next(), {look: "main"}) : ""}
        ${button("flip", say("Flip"), () => app.place.flip())}
        ${button("close", say("End"), () => app.leaveAside())}
      </div>
      ${app.review?.focus ? app.review.detail() : ""}
    </div>`;
  }
}
