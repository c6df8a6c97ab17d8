"""One side of a diff from its file: a fiche, which is judged, or a decision.json, which is read as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fiche.cli.diff_shape import misfits
from fiche.kernel.decision import Fiche
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.load.folder import UnreadableError, followed, read_file
from fiche.render.json import FORMAT

# The decision.json of the largest fiche that is accepted is far below.
LIMIT = 64 * 2**20
_OURS = "fiche-decision/"
_SHOWN = 60


@record(eq=False)
class Read:
    """One side: its name as typed, its bytes, and a loaded fiche or the document of a decision.json."""

    name: str
    content: bytes = b""
    fiche: Fiche | None = None
    document: Mapping[str, Any] | None = None


def read_side(path: Path) -> Read:
    """A fiche or a decision.json, by what the file holds: its name says nothing.

    Raises:
        Refused: F640 neither of both, F641 a decision of another form, F642 broken JSON, F643 too long, F644 a
            decision without something that is compared, and whatever is wrong with a fiche.
    """
    content = _content(path)
    if not content.lstrip().startswith((b"{", b"[")):
        return _fiche(path, content)
    return Read(name=str(path), content=content, document=_document(str(path), content))


def _content(path: Path) -> bytes:
    try:
        return read_file(followed(path), str(path), LIMIT)
    except UnreadableError as problem:
        if problem.code != "F319":
            raise Refused([problem.told]) from None
        message = f"'{path}' is longer than {LIMIT // 2**20} MiB: no decision is"
        raise _refused("F643", message, "name the fiche, or its decision.json") from None


def _fiche(path: Path, content: bytes) -> Read:
    from fiche.cli.compile import importers
    from fiche.load.fiche import load_fiche

    if b"\0" in content[:4096] or not content.strip():
        message = f"'{path}' is neither a fiche nor a decision.json"
        raise _refused("F640", message, _NAME_ONE)
    return Read(name=str(path), content=content, fiche=load_fiche(path, importers()).fiche)


_NAME_ONE = "name a fiche (YAML), or the decision.json beside a report"


def _document(name: str, content: bytes) -> Mapping[str, Any]:
    found = _parsed(name, content)
    form = found.get("format") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not str(form).startswith(_OURS):
        told = f" (its format is {str(form)[:_SHOWN]!r})" if isinstance(form, str) else ""
        message = f"'{name}' is JSON, and no decision{told}"
        raise _refused("F640", message, _NAME_ONE)
    if form != FORMAT:
        message = f"'{name}' is a decision of another form: {str(form)[:_SHOWN]!r}, not {FORMAT!r}"
        raise _refused("F641", message, "compare it with the version of fiche that wrote it")
    wrong = next(misfits(found), None)
    if wrong is not None:
        message = f"'{name}' lacks what a decision has: {wrong[:200]}"
        raise _refused("F644", message, "write it anew: fiche check FICHE --json")
    return found


def _parsed(name: str, content: bytes) -> object:
    """With every number as it is written: none of them is a float."""
    try:
        return json.loads(content, parse_float=str, parse_constant=str)
    except RecursionError:
        why = "it is nested too deep"
    except UnicodeDecodeError:
        why = "it is no UTF-8"
    except json.JSONDecodeError as error:
        whole = content.rstrip().endswith((b"}", b"]"))
        where = f"line {error.lineno}, column {error.colno}"
        why = f"{error.msg}, {where}" if whole else "it ends in the middle"
    except ValueError as error:  # a number of thousands of digits
        why = str(error)[:_SHOWN]
    raise _refused("F642", f"'{name}' is broken JSON: {why}", "copy the file again, whole")


def _refused(code: str, message: str, hint: str) -> Refused:
    return Refused([Diagnostic(code=code, message=message, address=None, hint=hint)])
