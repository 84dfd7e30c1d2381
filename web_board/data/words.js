// The words of the page, in English and Chinese. English words are their own keys.
import {language} from "./settings.js";

let chinese = {CHINESE: {}, CHINESE_SENTENCES: []};

// Loads the words of the language that is set. Before that, they are English.
export async function loadWords() {
  if (language() === "zh") chinese = await import("./chinese.js");
}

// A word or a sentence of the page; {0}, {1} stand for the values.
export function say(text, ...values) {
  const known = language() === "zh" ? chinese.CHINESE[text] : text;
  return (known ?? text).replace(/\{(\d)\}/g, (_, at) => values[at]);
}

// A sentence of the server, which writes English.
export function translated(sentence) {
  if (!sentence || language() !== "zh") return sentence || "";
  if (chinese.CHINESE[sentence]) return chinese.CHINESE[sentence];
  return chinese.CHINESE_SENTENCES.reduce((text, [pattern, own]) => text.replace(pattern, own), sentence);
}
