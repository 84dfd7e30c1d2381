// What can be heard of the game: what a screen reader says, and short sounds, made by WebAudio.
import {setting} from "./settings.js";
import {say, translated} from "./words.js";

// Says a text when the reader has finished.
export function speak(text) {
  document.getElementById("spoken").textContent = text;
}

// Says at once why something was refused, also twice the same.
export function alarm(text) {
  const node = document.getElementById("refusal");
  node.textContent = "";
  node.textContent = text;
  if (setting("sounds")) sound("refused");
}

// Tells what has changed since the table was at `before`: {ply, verdict}.
export function tellChange(table, look, before) {
  const words = [];
  if (table.ply > before.ply) {
    const move = table.moves.at(-1);
    words.push(`${look.sideName(move.seat)}: ${look.moveName(move)}`);
  } else if (table.ply < before.ply) words.push(say("Taken back to move {0}.", table.ply));
  if (table.danger.length && table.ply !== before.ply) words.push(say("Check!"));
  if (table.verdict && !before.verdict) words.push(translated(table.verdict.text));
  if (table.task) words.push(translated(table.task));
  if (words.length) speak(words.join(" "));
  if (setting("sounds")) playChange(table, before);
}

function playChange(table, before) {
  if (table.verdict && !before.verdict) sound("end");
  else if (table.ply <= before.ply) return;
  else if (table.danger.length) sound("check");
  else sound(table.lastTakes() ? "take" : "move");
}

// Sounds

let audio = null;

// Browsers allow sound only after the person has acted.
function ready() {
  if (!audio && "AudioContext" in window && navigator.userActivation?.hasBeenActive) audio = new AudioContext();
  return audio;
}

function tone(frequency, start, length, volume, type) {
  const wave = audio.createOscillator(), gain = audio.createGain(), at = audio.currentTime + start;
  wave.type = type;
  wave.frequency.setValueAtTime(frequency, at);
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
  wave.connect(gain).connect(audio.destination);
  wave.start(at);
  wave.stop(at + length);
}

const SOUNDS = {
  move: () => { tone(240, 0, 0.07, 0.35, "triangle"); tone(120, 0, 0.05, 0.3, "sine"); },
  take: () => { tone(180, 0, 0.09, 0.4, "square"); tone(320, 0.03, 0.07, 0.25, "triangle"); },
  check: () => { tone(520, 0, 0.1, 0.3, "triangle"); tone(660, 0.1, 0.14, 0.3, "triangle"); },
  refused: () => tone(110, 0, 0.18, 0.25, "sawtooth"),
  end: () => [392, 494, 587].forEach((frequency, at) => tone(frequency, at * 0.14, 0.3, 0.25, "triangle")),
};

function sound(name) {
  if (ready()) SOUNDS[name]();
}
