"""Step 4: the decision is made again, of the attached files and of nothing else on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from fiche.kernel.decision import Decision
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.load.builtin import Brought, installed
from fiche.load.folder import UnreadableError
from fiche.verify.container import Container
from fiche.verify.manifest import BUILT_IN, Listed
from fiche.verify.step import Sheet, Step


class Made(Protocol):
    """A decision, and the bytes of every file that went in."""

    @property
    def decision(self) -> Decision:
        """The decision."""

    @property
    def contents(self) -> Mapping[str, bytes]:
        """The files by the names that the fiche uses."""


class Maker(Protocol):
    """What judges and what writes: handed in, for verifying does neither itself."""

    @property
    def version(self) -> str:
        """The version of fiche that it is."""

    def compiled(self, fiche: str, folder: Memory, brought: Brought, review: str) -> Any:  # noqa: ANN401 - it is Made
        """Compile the fiche of that name; `review` names a file of comments, or is empty.

        Raises:
            Refused: whatever is wrong with the files.
        """

    def written(
        self,
        made: Any,  # noqa: ANN401 - what `compiled` returned
        forms: tuple[str, ...],
        *,
        language: str,
        draft: bool,
        annex: bool,
    ) -> dict[str, bytes]:
        """The files of a report in some forms (html, pdf, json, csv, md, crate), by name.

        Raises:
            Refused: F601 there is no Pango for a PDF, F602 no words in that language.
        """


@record
class Memory:
    """The attached files as a folder; nothing of the disk is in it."""

    files: Mapping[str, bytes]

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a file of at most `limit` bytes.

        Raises:
            UnreadableError: no such file is attached (F318), or it is too long (F319).
        """
        if name not in self.files or name.startswith(BUILT_IN):
            raise UnreadableError("F318", f"'{name}' is not attached")
        if len(self.files[name]) > limit:
            raise UnreadableError("F319", f"'{name}' is longer than {limit // 2**20} MiB")
        return self.files[name]


class Again(NamedTuple):
    """What came of it: None where the files do not compile."""

    step: Step
    made: Made | None


def recompiled(container: Container, found: Listed, maker: Maker) -> Again:
    """Compile the attached files again."""
    sheet = Sheet("recompiled", "The decision is made again from the attached files alone")
    files = found.files(container)
    if not found.fiche or found.fiche not in files:
        sheet.fault("F908", "no attached file is told to be the fiche: nothing can be compiled")
        return Again(sheet.step("nothing"), None)
    try:
        made = maker.compiled(found.fiche, Memory(files=files), Brought(files), _review(container))
    except Refused as refused:
        for one in refused.diagnostics[:3]:
            sheet.fault("F908", f"the attached files do not compile: {_said(one)}")
        return Again(sheet.step(f"{found.fiche} and {len(files) - 1} files"), None)
    except FileNotFoundError as error:  # a policy that comes with fiche, and did not come along
        sheet.fault("F908", f"the attached files do not compile: {error}")
        return Again(sheet.step(f"{found.fiche} and {len(files) - 1} files"), None)
    for name in sorted(set(files) - set(made.contents)):
        sheet.fault("F905", f"{name} is attached and nothing reads it")
    _other_catalogs(sheet, files)
    sheet.say(
        "in memory: no file of this machine but fiche's own programs was used, and no network"
    )
    return Again(sheet.step(f"{found.fiche} and {len(files) - 1} files that it names"), made)


def _review(container: Container) -> str:
    inputs = container.document.get("inputs")
    told = inputs if isinstance(inputs, list) else []
    names = [
        one.get("file") for one in told if isinstance(one, dict) and one.get("role") == "review"
    ]
    return str(names[0]) if names else ""


def _other_catalogs(sheet: Sheet, files: Mapping[str, bytes]) -> None:
    """The attached one counts, and a difference is said."""
    here = {one.file: one.content for one in installed().sources}
    for name in sorted(files):
        kind, _, plain = name.removeprefix(BUILT_IN).partition("/")
        if not name.startswith(BUILT_IN):
            continue
        if kind == "policies" and plain.removesuffix(".yaml") in installed().policies:
            same = installed().policy(plain.removesuffix(".yaml"))[0] == files[name]
        else:
            same = here.get(name) == files[name]
        if not same:
            sheet.say(f"{name} is not what this installation has: the attached file was used")


def _said(one: Diagnostic) -> str:
    place = f"{one.address}: " if one.address is not None else ""
    return f"{place}{one.code} {one.message}"
