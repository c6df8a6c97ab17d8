"""Catalogs of messages as files: read, brought up to date, checked, compiled; the same bytes every time."""

from __future__ import annotations

import difflib
import re
import string
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path

from _collect import Entry
from babel import Locale
from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from babel.plural import to_gettext

_HEAD = """\
# {title}
# Written by tools/messages.py; what stands after msgstr is written by people.
#"""
_WIDTH = 100
_NEAR = 0.85
_LETTER = re.compile(r"[^\W\d_]")


class Plain(Catalog):
    """A catalog whose header has no clock and no version in it."""

    def _headers(self) -> list[tuple[str, str]]:
        said = [("Project-Id-Version", "fiche")]
        if self.locale is not None:
            said += [("Language", str(self.locale)), ("Plural-Forms", plural_forms(self.locale))]
        return [
            *said,
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]

    mime_headers = property(_headers, Catalog._set_mime_headers)

    @property
    def plural_count(self) -> int:
        """How many forms this language has."""
        return len(self.locale.plural_form.tags) + 1 if self.locale else 2


def plural_forms(locale: Locale) -> str:
    """The rule of CLDR as gettext has it; `e`, of numbers in short form, is nothing here."""
    return re.sub(r"\be\b", "0", to_gettext(locale.plural_form))


def template(found: Iterable[Entry]) -> Plain:
    """The catalog without a language."""
    made = Plain(header_comment=_HEAD.format(title="Messages of fiche's reports."), fuzzy=False)
    for entry in found:
        made[(entry.one, entry.many) if entry.many else entry.one] = _message(entry, "")
    return made


def read(path: Path) -> Catalog:
    """A catalog as it stands; an empty one for a file that is not there yet."""
    if not path.exists():
        return Plain(locale=path.stem)
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


def updated(tag: str, old: Catalog, found: Sequence[Entry]) -> Plain:
    """The messages of the source with the translations of `old`; those of a changed text are fuzzy."""
    name = Locale.parse(tag).english_name
    made = Plain(locale=tag, header_comment=_HEAD.format(title=f"{name} words of fiche's reports."))
    made.fuzzy = False
    had = {(m.context, _one(m)): m for m in old if m.id}
    by_context = {m.context: m for m in had.values() if m.context}
    wanted = {entry.key for entry in found}
    free = [key[1] for key in had if key[0] is None and key not in wanted]
    for entry in found:
        same = had.get(entry.key)
        near = same or by_context.get(entry.context) or _near(entry, free, had)
        message = _message(entry, _kept(entry, near, made.plural_count))
        if near is not None and any(_strings(message)):
            message.flags |= (
                near.flags & {"fuzzy"} if same and _forms(same) == _forms_of(entry) else {"fuzzy"}
            )
        _tidy(message, tag)
        made[message.id] = message
    return made


def _near(entry: Entry, free: list[str], had: dict) -> Message | None:
    if entry.context is not None or not free:
        return None
    close = difflib.get_close_matches(entry.one, free, 1, _NEAR)
    return had[(None, close[0])] if close else None


def _message(entry: Entry, told: str | tuple[str, ...]) -> Message:
    identity = (entry.one, entry.many) if entry.many else entry.one
    blank = ("", "") if entry.many else ""
    return Message(
        identity,
        told or blank,
        locations=[(file, 0) for file in entry.files],
        context=entry.context,
    )


def _kept(entry: Entry, old: Message | None, forms: int) -> str | tuple[str, ...]:
    """The translation that stays. A message without letters is signs alone, and says itself."""
    told = list(_strings(old)) if old is not None else []
    if not any(told):
        signs = not _LETTER.search(_bare(entry.one + entry.many))
        told = [entry.one, entry.many or entry.one] if signs else [""]
    if not entry.many:
        return told[-1]
    return tuple((told + [told[-1]] * forms)[:forms]) if any(told) else ("",) * forms


def _bare(text: str) -> str:
    return re.sub(r"\{\w*\}", "", text)


def _one(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _forms(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def _forms_of(entry: Entry) -> tuple[str, ...]:
    return (entry.one, entry.many) if entry.many else (entry.one,)


def _strings(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


# --- Spacing ------------------------------------------------------------------------------------

_NARROW, _HARD = "\N{NARROW NO-BREAK SPACE}", "\N{NO-BREAK SPACE}"
_SPACES = f"[ {_HARD}{_NARROW}]*"
_APOSTROPHE = (re.compile(r"(?<=[\w}])'(?=[\w{])"), "\N{RIGHT SINGLE QUOTATION MARK}")
_FRENCH = (
    (re.compile(rf"(?<=\S){_SPACES}([;!?]+)(?=[\s»)”]|$)"), rf"{_NARROW}\1"),
    (re.compile(rf"(?<=[^\s(]){_SPACES}:(?=\s|$)"), f"{_HARD}:"),
    (re.compile(r"^:(?=\s)"), f"{_HARD}:"),
    (re.compile(r"^;(?=\s)"), f"{_NARROW};"),
    (re.compile(rf"«{_SPACES}"), f"«{_HARD}"),
    (re.compile(rf"{_SPACES}»"), f"{_HARD}»"),
    (re.compile(rf"(?<=[\d}}]){_SPACES}%"), f"{_HARD}%"),
)
# "48 %" is "%48" in Turkish: nobody is asked to remember it.
_TURKISH = ((re.compile(rf"(\d+(?:,\d+)?|\{{\w+\}}){_SPACES}%"), r"%\1"),)
_RULES = {"fr": (*_FRENCH, _APOSTROPHE), "tr": (*_TURKISH, _APOSTROPHE), "pt": (_APOSTROPHE,)}


def spaced(text: str, tag: str) -> str:
    """A translation with the spaces, apostrophes and percent signs that its language asks for."""
    for rule, put in _RULES.get(tag, ()):
        text = rule.sub(put, text)
    return text


def _tidy(message: Message, tag: str) -> None:
    told = tuple(spaced(each, tag) for each in _strings(message))
    message.string = told[0] if isinstance(message.string, str) else told


# --- Checks -------------------------------------------------------------------------------------


def faults(catalog: Catalog) -> Iterator[tuple[Message, str]]:
    """What keeps a catalog from being whole: untranslated, fuzzy, other places, other ends."""
    for message in catalog:
        if not message.id:
            continue
        told = _strings(message)
        if not all(told):
            yield message, "not translated"
        elif message.fuzzy:
            yield message, "the English has changed"
        else:
            yield from ((message, why) for why in _wrong(message, told))


def _wrong(message: Message, told: Sequence[str]) -> Iterator[str]:
    ids = _forms(message)
    allowed = [places(each) for each in ids]
    for place, each in enumerate(told):
        if place == 0 and len(ids) == 2 and places(each) in allowed:
            continue
        if places(each) != allowed[-1]:
            yield f"places differ: {sorted(places(each))} for {sorted(allowed[-1])}"
        if (each[:1] in " \n") != (ids[-1][:1] in " \n") or each[-1:].isspace() != ids[-1][
            -1:
        ].isspace():
            yield "a blank at its start or end differs"
        if "|" in each:
            yield "a bar, which parts forms"


def places(text: str) -> frozenset[str]:
    """The names in braces; a text that is no template has none."""
    try:
        return frozenset(
            name for _, name, _, _ in string.Formatter().parse(text) if name is not None
        )
    except ValueError:
        return frozenset({f"verbatim {text.count('{')}"})


# --- Bytes --------------------------------------------------------------------------------------


def po_bytes(catalog: Catalog) -> bytes:
    """A catalog to read and to write in."""
    made = BytesIO()
    write_po(made, catalog, width=_WIDTH, include_lineno=False, ignore_obsolete=True)
    return made.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """A catalog as gettext reads it; what is not translated or fuzzy is not in it."""
    made = BytesIO()
    whole = Plain(locale=catalog.locale, fuzzy=False)
    whole.header_comment = ""
    for message in catalog:
        if message.id and all(_strings(message)) and not message.fuzzy:
            whole[message.id] = message
    write_mo(made, whole)
    return made.getvalue()
