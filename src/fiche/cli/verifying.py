"""What `fiche verify` does: the room of verifying is handed what judges and writes, and what came is told."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from fiche import __version__
from fiche.cli.compile import Compiled, doors, importers
from fiche.evaluate.decide import completed, decide
from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.load.builtin import Brought
from fiche.load.fiche import load_bytes
from fiche.load.folder import YAML_LIMIT
from fiche.verify.bounds import content_of
from fiche.verify.extracted import extracted_files
from fiche.verify.recompile import Memory
from fiche.verify.sheaf import REPORTS, beside, folder_step, sheaf_of
from fiche.verify.signature import Trust, signature_step
from fiche.verify.step import FAILED, Step, worst
from fiche.verify.verified import Looked, files_looked_at, looked_at

ATTACHMENTS = "attachments/"


@record
class Asked:
    """What is asked for; see the options."""

    path: Path
    extract: Path | None = None
    trust: tuple[Path, ...] = ()
    signed: bool = False
    vouched: bool = False
    force: bool = False


@record
class Verified:
    """What came of it: the steps of each report by its name, and of the folder where it is one."""

    path: Path
    reports: Mapping[str, Looked]
    folder: Step | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """All of them."""
        own = (self.folder,) if self.folder is not None else ()
        return (*(step for one in self.reports.values() for step in one.steps), *own)

    @property
    def outcome(self) -> str:
        """That of all steps together."""
        return worst(self.steps)

    @property
    def holds(self) -> bool:
        """True where nothing fails."""
        return self.outcome != FAILED


class Workshop:
    """This installation as the room of verifying is handed it: it judges and writes, from memory."""

    version = __version__

    def compiled(self, fiche: str, folder: Memory, brought: Brought, review: str) -> Compiled:
        """Compile the fiche of that name with the comments of that name; see `recompile.Maker`."""
        content = folder.read(fiche, YAML_LIMIT)
        loaded = load_bytes(fiche, content, folder, importers(), brought)
        asked = {one.kind for one in completed(loaded.fiche.requirements)}
        decision = decide(loaded.fiche, doors(asked), __version__)
        made = Compiled(decision=decision, contents=loaded.contents)
        if not review:
            return made
        from fiche.cli.reviewed import commented
        from fiche.load.review import read_review
        from fiche.report.nameable import nameable

        text = folder.read(review, YAML_LIMIT)
        return commented(made, read_review(text, review, nameable(decision)), review)

    def written(
        self, made: Compiled, forms: tuple[str, ...], *, language: str, draft: bool, annex: bool
    ) -> dict[str, bytes]:
        """The files of a report; see `recompile.Maker`."""
        from fiche.cli import reports

        asked = reports.Asked(formats=forms, language=language, annex=annex, draft=draft)
        return reports.files(made, asked)


def verified(asked: Asked) -> Verified:
    """Verify a file or a folder.

    Raises:
        Refused: F900 to F904 it cannot be read.
    """
    trust = Trust(
        roots=tuple(content_of(path) for path in asked.trust),
        signed=asked.signed,
        vouched=asked.vouched,
    )
    maker = Workshop()
    if not asked.path.is_dir():
        content = content_of(asked.path)
        found = looked_at(content, maker, lambda c: signature_step(c, trust))
        return Verified(path=asked.path, reports={asked.path.name: found})
    sheaf = sheaf_of(asked.path)
    looked = {
        name: looked_at(content_of(sheaf.files[name]), maker, lambda c: signature_step(c, trust))
        for name in REPORTS
        if name in sheaf.files
    }
    if not looked:
        looked = {ATTACHMENTS: files_looked_at(beside(sheaf), maker)}
    made = next((one.made for one in looked.values() if one.made is not None), None)
    step = folder_step(asked.path, sheaf, looked, made, maker)
    return Verified(path=asked.path, reports=looked, folder=step)


def extracted(asked: Asked, found: Verified) -> tuple[str, ...]:
    """The files that `--extract` wrote, by their names in the folder; none where it is not asked for.

    Raises:
        Refused: F904 two of them have one name on some systems; F610, F611 the folder.
    """
    if asked.extract is None:
        return ()
    from fiche.cli.output import write_folder

    files = extracted_files(next(iter(found.reports.values())).container)
    if not files:
        raise Refused([_nothing()])
    write_folder(asked.extract, files, force=asked.force)
    return tuple(str(asked.extract / name) for name in sorted(files))


def _nothing() -> Diagnostic:
    return Diagnostic(
        code="F905",
        message="nothing can be put back: the list of attached files cannot be used",
        address=None,
        hint="pdfdetach -saveall takes out what is there, whatever it is",
    )


def put(found: Verified, written: tuple[str, ...], *, as_json: bool) -> None:
    """Tell what came of it."""
    from fiche.cli.terminal import colour, put_json, put_text, width

    if as_json:
        from fiche.cli.verified_json import document

        put_json(document(found, written))
        return
    from fiche.cli.verified_text import text

    put_text(text(found, written, columns=width(), coloured=colour()))


def digest(content: bytes) -> str:
    """The sha256 of some bytes, in hex."""
    return hashlib.sha256(content).hexdigest()
