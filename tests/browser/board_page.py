"""What a person does on the page of `sanqi board`, and sees there."""

from __future__ import annotations

from typing import Any

WAIT_MS = 20_000
NEW_GAME = '[data-act="new"]'


class BoardPage:
    """A tab. Every method waits for what it needs."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.asked: list[str] = []
        """The questions that the page had for the person."""
        self.answers: list[bool] = []
        """What the person says to the next ones; after that, yes."""
        page.set_default_timeout(WAIT_MS)
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", self._answer)
        page.goto(address)
        page.wait_for_selector("#dialog[open], main[data-ply]")

    def _answer(self, dialog: Any) -> None:
        self.asked.append(dialog.message)
        if self.answers and not self.answers.pop(0):
            dialog.dismiss()
        else:
            dialog.accept()

    def begin(self, game: str, players: dict[int, str], levels: dict[int, str], **options: str) -> None:
        """Start a new game by its dialog."""
        self.choose(game, players, levels, **options)
        self.page.click("#begin")
        self.page.wait_for_selector("#dialog:not([open])", state="attached")
        self.page.wait_for_selector("main[data-ply]")

    def set_up(self, game: str, players: dict[int, str], levels: dict[int, str], **options: str) -> None:
        """Set up how a new game begins, from its dialog on."""
        self.choose(game, players, levels, **options)
        self.page.click("#set-up")
        self.page.wait_for_selector(".editor")

    def choose(self, game: str, players: dict[int, str], levels: dict[int, str], **options: str) -> None:
        """Fill in the dialog of a new game."""
        page = self.page
        if not page.locator("#dialog[open]").count():
            page.click(NEW_GAME)
        page.wait_for_selector("#dialog[open] #begin")
        page.locator(f'input[name="game"][value="{game}"]').check(force=True)
        page.locator("#dialog details").evaluate_all("nodes => nodes.forEach(node => { node.open = true; })")
        for name, value in options.items():
            field = page.locator(f'#dialog [name="{name}"]')
            if field.evaluate("node => node.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
                field.blur()
        for seat, player in players.items():
            page.select_option(f'#dialog [name="player{seat}"]', player)
        for seat, level in levels.items():
            page.select_option(f'#dialog [name="level{seat}"]', level)

    def point(self, name: str) -> Any:
        return self.page.locator(f'.point[data-name="{name}"]')

    def click(self, *names: str) -> None:
        for name in names:
            self.point(name).click()

    def type_move(self, text: str) -> None:
        self.page.fill("#typed", text)
        self.page.press("#typed", "Enter")

    def drag(self, start: str, end: str) -> None:
        boxes = [self.point(name).bounding_box() for name in (start, end)]
        places = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
        mouse = self.page.mouse
        mouse.move(*places[0])
        mouse.down()
        mouse.move(*places[1], steps=5)
        mouse.up()

    def wait_ply(self, ply: int) -> None:
        self.page.wait_for_selector(f'main[data-ply="{ply}"]')

    def wait_turn(self, ply: int) -> None:
        """Wait until so many moves were made and it is this person's turn."""
        self.page.wait_for_selector(f'main[data-ply="{ply}"][data-turn="mine"]')

    def wait_over(self) -> str:
        """How the game ended, in words."""
        self.page.wait_for_selector('main[data-turn="over"]')
        return str(self.page.inner_text("#status"))

    def moves(self) -> list[str]:
        return [text.strip() for text in self.page.locator("#moves button").all_inner_texts()]

    def refusal(self) -> str:
        """The words of a refusal, which a screen reader speaks."""
        self.page.wait_for_selector("#refusal:not(:empty)", state="attached")
        return str(self.page.locator("#refusal").text_content())

    def pieces(self) -> dict[str, str]:
        """What a screen reader says of each point that has a piece."""
        script = """nodes => Object.fromEntries(nodes.map(node => {
            const point = document.querySelector(`.point[data-point="${node.dataset.man}"]`);
            return [point.dataset.name, point.getAttribute("aria-label")]; }))"""
        found: dict[str, str] = self.page.locator("#board [data-man]").evaluate_all(script)
        return found


def violations(page: Any) -> list[str]:
    """The faults that axe finds on the page now, each with its element."""
    from axe_playwright_python.sync_playwright import Axe  # only where browser tests run

    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]
