// Opens HTML pages in jsdom and runs their scripts. Each line on stdin is JSON: the page's file, the fragment of its
// address, and JavaScript, which then runs as the body of a function. The answer is a line of JSON: what it returns as
// `result`, or any error of a script as `error`.
//
//     node page_in_dom.js
"use strict";
const {readFileSync} = require("fs");
const {createInterface} = require("readline");
const {JSDOM, VirtualConsole} = require("jsdom");

const run = (page, fragment, script) => {
  const virtualConsole = new VirtualConsole();
  const errors = [];
  virtualConsole.on("jsdomError", (error) => { if (error.type !== "css parsing") errors.push(error); });
  const {window} = new JSDOM(readFileSync(page, "utf8"), {
    runScripts: "dangerously",
    url: `https://localhost/${fragment}`,
    virtualConsole,
  });
  const {document} = window;
  const press = (...keys) => {
    for (const key of keys)
      document.activeElement.dispatchEvent(new window.KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  };
  const text = (selector) => document.querySelector(selector).textContent;
  const body = new Function("window", "document", "press", "text", script);
  const result = body(window, document, press, text) ?? null;
  if (errors.length)
    throw errors[0];
  return result;
};

createInterface({input: process.stdin}).on("line", (line) => {
  const {page, fragment, script} = JSON.parse(line);
  let answer;
  try {
    answer = {result: run(page, fragment, script)};
  } catch (error) {
    answer = {error: `${error.stack ?? error}`};
  }
  console.log(JSON.stringify(answer));
});
