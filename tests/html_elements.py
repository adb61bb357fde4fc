"""What a page of a report is made of."""

from html.parser import HTMLParser

ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "section", "h1", "h2", "p", "dl", "div", "dt", "dd",
    "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "svg", "rect", "circle",
}  # fmt: skip
HOSTILE = "\x1b[31m<script>alert(1)</script>\u202e\"'&[bold]\n"


class Elements(HTMLParser):
    """The names of all elements, the names of all attributes, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
