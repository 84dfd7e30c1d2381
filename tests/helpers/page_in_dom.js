// Opens an HTML page in jsdom and runs its scripts. Then runs the JavaScript on stdin as the body of a function and
// prints what it returns as JSON. Any error of a script ends it with status 1.
//
//     node page_in_dom.js PAGE [HASH]
"use strict";
const {readFileSync} = require("fs");
const {JSDOM, VirtualConsole} = require("jsdom");

const failed = (error) => {
  console.error(error);
  process.exit(1);
};
const virtualConsole = new VirtualConsole();
virtualConsole.on("jsdomError", (error) => { if (error.type !== "css parsing") failed(error); });
const [, , page, hash = ""] = process.argv;
const {window} = new JSDOM(readFileSync(page, "utf8"), {
  runScripts: "dangerously",
  url: `https://localhost/${hash}`,
  virtualConsole,
});
const {document} = window;
const press = (...keys) => {
  for (const key of keys)
    document.activeElement.dispatchEvent(new window.KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
};
const text = (selector) => document.querySelector(selector).textContent;
const body = new Function("window", "document", "press", "text", readFileSync(0, "utf8"));
console.log(JSON.stringify(body(window, document, press, text) ?? null));
