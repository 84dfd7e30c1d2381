// The WebSocket to the server. It comes back by itself when it was lost.
const WAITS_MS = [200, 500, 1000, 2000];
const TOKEN = "sanqi.board.token";

// The token is in the address once; then this tab keeps it.
export function takeToken() {
  const token = location.hash.slice(1);
  if (token) {
    sessionStorage.setItem(TOKEN, token);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return token || sessionStorage.getItem(TOKEN) || "";
}

export class Connection {
  // `on` has functions: open(), message(object), lost().
  constructor(protocol, token, on) {
    this.on = on;
    this.protocols = [protocol, token].filter(Boolean);
    this.tries = 0;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`, this.protocols);
    this.socket.addEventListener("open", () => { this.tries = 0; this.on.open(); });
    this.socket.addEventListener("message", (event) => this.on.message(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.retry());
  }

  retry() {
    this.on.lost();
    const wait = WAITS_MS[Math.min(this.tries, WAITS_MS.length - 1)];
    this.tries += 1;
    setTimeout(() => this.connect(), wait);
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  // Whether it was sent.
  send(message) {
    if (this.isOpen) this.socket.send(JSON.stringify(message));
    return this.isOpen;
  }
}
