// Saving and loading: the server writes and reads the files of games, the browser keeps them.
import {say} from "./words.js";

const MAX_BYTES = 4 * 1024 * 1024; // of a file to load

// Gives the person a file. `data`: base64.
export function download(name, data) {
  give(name, new Blob([Uint8Array.from(atob(data), (each) => each.charCodeAt(0))]));
}

// The same with a blob.
export function give(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Lets the person choose a file. `take` gets its name and its bytes as base64.
export function pick(take, refuse) {
  const field = document.createElement("input");
  field.type = "file";
  field.addEventListener("change", async () => {
    const [file] = field.files;
    if (!file) return;
    if (file.size > MAX_BYTES) { refuse(say("The file is larger than 4 MiB.")); return; }
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    take(file.name, btoa(text));
  });
  field.click();
}
