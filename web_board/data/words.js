// The words of the page, in English and Chinese. English words are their own keys.
import {language} from "./settings.js";

const words = new Map();
const sentences = []; // pieces of sentences, applied one after the other: [pattern, Chinese]

// Loads the words of the language that is set. Before that, they are English.
export async function loadWords() {
  if (language() !== "zh" || sentences.length) return;
  const found = await (await fetch("chinese.json")).json();
  words.clear(); // what was asked for before
  for (const [text, own] of Object.entries(found.words)) words.set(text, own);
  sentences.push(...found.sentences.map(([pattern, own]) => [new RegExp(pattern, "gi"), own]));
}

// A word or a sentence of the page; {0}, {1} stand for the values.
export function say(text, ...values) {
  const known = language() === "zh" ? words.get(text) : text;
  return (known ?? text).replace(/\{(\d)\}/g, (_, at) => values[at]);
}

// A sentence of the server, which writes English.
export function translated(sentence) {
  if (!sentence || language() !== "zh") return sentence || "";
  return words.get(sentence) ?? words.set(sentence, sentences.reduce((text, [pattern, own]) => text.replace(pattern, own), sentence)).get(sentence);
}
