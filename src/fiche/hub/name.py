"""How somebody names a model on a hub: `org/model`, its revision, one of its files, or its page."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record

_WORD = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_NAME = re.compile(
    rf"(?P<model>{_WORD}/{_WORD})(?:@(?P<revision>[^\s:@]+))?(?::(?P<file>[^\s:]+))?"
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_PAGES = ("https://", "http://")
_LONGEST = 96


@record
class HubName:
    """A model on a hub; `revision` is a branch, a tag or a commit, empty for the main branch.

    `file` chooses one of its files, such as one quantisation of a GGUF repository.
    """

    model: str
    revision: str = ""
    file: str = ""

    @property
    def pinned(self) -> bool:
        """True where the revision is a whole commit: it can never mean other files."""
        return bool(_COMMIT.fullmatch(self.revision))

    def __str__(self) -> str:
        at = f"@{self.revision}" if self.revision else ""
        return f"{self.model}{at}{f':{self.file}' if self.file else ''}"


def hub_name(text: str) -> HubName:
    """The model that `org/model`, `org/model@revision`, `org/model:file` or the address of a page names.

    Raises:
        Refused: F831 it is none of them.
    """
    found = _of_page(text) if text.startswith(_PAGES) else _of_text(text)
    if found is None or len(found.model) > _LONGEST or not _inside(found):
        raise Refused([_unnamed(text)])
    return found


def _of_text(text: str) -> HubName | None:
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    return HubName(model=found["model"], revision=found["revision"] or "", file=found["file"] or "")


def _of_page(text: str) -> HubName | None:
    """`https://HOST/org/model/tree/REVISION`; HOST is not asked: HF_ENDPOINT says which hub."""
    try:
        parts = [unquote(part) for part in urlsplit(text).path.split("/") if part]
    except ValueError:  # a host in brackets that are not closed
        return None
    if len(parts) < 2 or len(parts) == 3 or _of_text("/".join(parts[:2])) is None:
        return None
    model, rest = "/".join(parts[:2]), parts[2:]
    if not rest:
        return HubName(model=model)
    if rest[0] == "tree" and len(rest) == 2:
        return HubName(model=model, revision=rest[1])
    if rest[0] in ("blob", "resolve") and len(rest) > 2:
        return HubName(model=model, revision=rest[1], file="/".join(rest[2:]))
    return None


def _inside(name: HubName) -> bool:
    """No step out of the model, in a name that becomes an address and a place in the cache."""
    return all(inside(text) for text in (name.model, name.revision, name.file) if text)


def inside(path: str) -> bool:
    """True for a path that stays in its folder, whatever system reads it."""
    parts = path.split("/")
    return not {"", ".", ".."} & set(parts) and "\\" not in path and path.isprintable()


def _unnamed(text: str) -> Diagnostic:
    return Diagnostic(
        code="F831",
        message=f"'{text}' is no file or folder here, and no name of a model on a hub",
        address=None,
        hint="write a path that exists, org/model, org/model@revision or org/model:file.gguf",
    )
