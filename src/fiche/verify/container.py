"""What a report holds, as its container tells it: files, digests, words; whatever the container is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from fiche.kernel.record import field, record
from fiche.render.canonical import canonical
from fiche.verify.bounds import broken, too_much
from fiche.verify.step import Point

DECISION, MANIFEST, CRATE = "decision.json", "manifest.json", "ro-crate-metadata.json"


@record
class Held:
    """One attached file. `relationship` is empty where the container has no place for it (HTML).

    `damaged` says why its bytes cannot be had, though the report itself is read: `content` is then empty.
    """

    name: str
    content: bytes
    media_type: str
    description: str
    relationship: str = ""
    damaged: str = ""

    @property
    def sha256(self) -> str:
        """Its digest, of the bytes as they came out."""
        return hashlib.sha256(self.content).hexdigest()


@record
class Passage:
    """Words that a reader sees, a line each, and where: a page of paper, a section of a page."""

    place: str
    lines: tuple[str, ...]


@record
class Container:
    """A report as it was read.

    `odd` is what reading noticed about files (twice, under two names, hidden); `trailing` what was added to the
    file after it was written. `digests` leads from where a digest is told to what it is: `decision` is of
    decision.json, as are `rules` and `policy`; `fiche` is the fiche's id. `title` is that of the page.
    """

    kind: str
    content: bytes
    held: tuple[Held, ...]
    language: str
    title: str
    has_annex: bool
    passages: tuple[Passage, ...]
    digests: Mapping[str, Sequence[tuple[str, str]]]
    odd: tuple[Point, ...] = ()
    trailing: tuple[Point, ...] = ()
    version: str = ""
    maker: str = ""
    own: Mapping[str, Any] = field(default_factory=dict)

    def file(self, name: str) -> bytes | None:
        """The bytes of an attached file; None where there is none of that name."""
        return next((one.content for one in self.held if one.name == name), None)

    @property
    def document(self) -> dict[str, Any]:
        """What decision.json says; empty where it cannot be read."""
        content = self.file(DECISION)
        if content is None:
            return {}
        try:
            return read_json(content)
        except ValueError:
            return {}


def read_json(content: bytes) -> dict[str, Any]:
    """An object from canonical JSON, as fiche writes it.

    Raises:
        ValueError: it is no JSON, no object, or not in the canonical form.
        Refused: F901, F903 it nests without an end.
    """
    try:
        found = json.loads(content.decode("utf-8"))
        same = isinstance(found, dict) and canonical(found) == content
    except RecursionError:
        raise too_much("a file of JSON nests without an end") from None
    except UnicodeDecodeError:
        raise broken("a file of JSON is not UTF-8") from None
    except TypeError as error:
        raise ValueError(str(error)) from None
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    if not same:
        raise ValueError("it is not in the canonical form that fiche writes")
    return found
