"""What tests of the report share: pages of the decisions made by hand, and a reader of HTML."""

import hashlib
from functools import cache
from html.parser import HTMLParser

from render import decisions

from fiche.render.attachment import attachments_of
from fiche.render.html import html_bytes
from fiche.render.json import decision_bytes
from fiche.report.view import view

NAMES = ("rich", "bare", "nothing_known", "crowded", "hostile")
VOID = {"meta", "link", "br", "hr", "img", "input", "path", "rect"}

# Parts of a table whose end need not be written, by what begins after them (HTML, 13.1.2.4).
CELLS = ("td", "th", "tr", "thead", "tbody")
ENDED_BY = {
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("td", "th", "tr"),
    "tbody": CELLS,
}


@cache
def decision(name):
    return getattr(decisions, name)()


@cache
def attachments(name):
    made = decision(name)
    files = {} if name == "hostile" else decisions.CONTENTS
    return attachments_of(made, decision_bytes(made), files)


@cache
def page(name):
    made = decision(name)
    return html_bytes(view(made), made, attachments(name))


class Reader(HTMLParser):
    """Elements in order with their attributes and text; raw text of script and style apart."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.stack = []

    def handle_starttag(self, tag, attrs):
        while self.stack and self.stack[-1]["tag"] in ENDED_BY.get(tag, ()):
            self.stack.pop()
        element = {
            "tag": tag,
            "attrs": dict(attrs),
            "text": "",
            "path": [e["tag"] for e in self.stack],
        }
        self.elements.append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.stack.pop()

    def handle_endtag(self, tag):
        while self.stack and tag != self.stack[-1]["tag"] in CELLS and tag in ("table", *CELLS):
            self.stack.pop()
        assert self.stack, f"</{tag}> closes nothing"
        assert self.stack[-1]["tag"] == tag, f"</{tag}> closes <{self.stack[-1]['tag']}>"
        self.stack.pop()

    def handle_data(self, text):
        for element in self.stack:
            element["text"] += text

    def all(self, tag):
        return [e for e in self.elements if e["tag"] == tag]


@cache
def read(name):
    reader = Reader()
    reader.feed(page(name).decode("utf-8"))
    reader.close()
    assert reader.stack == []
    return reader


def shown(name):
    """The words that a reader sees."""
    body = read(name).all("body")[0]["text"]
    for script in read(name).all("script"):
        body = body.replace(script["text"], "")
    return body


def sha256(content):
    return hashlib.sha256(content).hexdigest()
