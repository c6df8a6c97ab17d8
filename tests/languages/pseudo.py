"""A language made up for tests: every message of fiche stands in ⟦…⟧, so what escapes a catalog shows."""

import gettext
import string

from fiche.languages._catalog import of_translations

OPEN, SHUT = "⟦", "⟧"


def wrapped(text):
    """Each stretch between places in brackets of its own: what is filled in stands outside."""
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return f"{OPEN}{text}{SHUT}"
    if not any(place for _, place, _, _ in parsed):
        return f"{OPEN}{text}{SHUT}"
    return "".join(
        (f"{OPEN}{literal.replace('{', '{{').replace('}', '}}')}{SHUT}" if literal else "")
        + (f"{{{place}}}" if place is not None else "")
        for literal, place, _, _ in parsed
    )


class Wrapping(gettext.NullTranslations):
    """Translations that wrap."""

    def gettext(self, message):
        return wrapped(message)

    def ngettext(self, msgid1, msgid2, n):
        return wrapped(msgid1 if n == 1 else msgid2)

    def pgettext(self, context, message):
        return wrapped(message)

    def npgettext(self, context, msgid1, msgid2, n):
        return wrapped(msgid1 if n == 1 else msgid2)


def pseudo(tag="en"):
    """The language, with the numbers of a tag."""
    return of_translations(tag, Wrapping())
