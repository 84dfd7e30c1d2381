// The words of the page, in English and Chinese. English words are their own keys.
import {CHINESE, CHINESE_SENTENCES} from "./chinese.js";
import {language} from "./settings.js";

// A word or a sentence of the page; {0}, {1} stand for the values.
export function say(text, ...values) {
  const known = language() === "zh" ? CHINESE[text] : text;
  return (known ?? text).replace(/\{(\d)\}/g, (_, at) => values[at]);
}

// A sentence of the server, which writes English.
export function translated(sentence) {
  if (!sentence || language() !== "zh") return sentence || "";
  if (CHINESE[sentence]) return CHINESE[sentence];
  return CHINESE_SENTENCES.reduce((text, [pattern, chinese]) => text.replace(pattern, chinese), sentence);
}
