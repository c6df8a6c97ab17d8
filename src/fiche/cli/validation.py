"""`fiche report --verapdf`: what a validator says of the PDF, told beside it: no file holds its own verdict.

Until it ran, a report only claims what it was built to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from fiche.kernel.diagnostic import Diagnostic, Refused

if TYPE_CHECKING:  # few reports are validated: what runs a program is loaded for those
    from fiche.cli.verapdf_read import Failure, Judged

FILE = "report.pdf.validation.json"
FORMAT = "fiche-validation/1"
_OUTCOMES = {True: "compliant", False: "not_compliant", None: "no_verdict"}
_SHOWN = 3


def validator(told: str, formats: Sequence[str]) -> str:
    """The program that `--verapdf` names, found before anybody waits for a report; empty for none.

    Raises:
        Refused: F603 there is none; F702 no PDF is asked for.
    """
    if not told:
        return ""
    if "pdf" not in formats:
        raise Refused([_no_pdf()])
    from fiche.cli.verapdf import program_of

    return program_of(told)


def validate(written: MutableMapping[str, bytes], program: str) -> tuple[Judged, ...]:
    """Have the PDF among the files judged, and add the file that says so; nothing without a program."""
    if not program:
        return ()
    from fiche.cli.verapdf import validated
    from fiche.render.canonical import canonical

    pdf = written["report.pdf"]
    judged = validated(pdf, program)
    written[FILE] = canonical(document(pdf, judged))
    return judged


def met(judged: Sequence[Judged]) -> bool:
    """True if every standard that was asked of is met; else it says which is not, and why."""
    found = list(diagnostics(judged))
    if found:
        from fiche.cli.diagnostics import put_refused

        put_refused(Refused(found))
    return not found


def document(pdf: bytes, judged: Sequence[Judged]) -> dict[str, Any]:
    """`valid` is true where every standard was judged compliant, null where one got no verdict."""
    verdicts = [one.compliant for one in judged]
    return {
        "format": FORMAT,
        "file": "report.pdf",
        "bytes": len(pdf),
        "sha256": hashlib.sha256(pdf).hexdigest(),
        "validator": {"name": "veraPDF", "version": _version(judged)},
        "valid": False if False in verdicts else None if None in verdicts else True,
        "standards": [_standard(one) for one in judged],
    }


def text(judged: Sequence[Judged]) -> str:
    """One line for a terminal."""
    told = ", ".join(
        f"{one.standard} {_OUTCOMES[one.compliant].replace('_', ' ')}" for one in judged
    )
    return f"validated with veraPDF {_version(judged) or '(version untold)'}: {told}\n"


def diagnostics(judged: Sequence[Judged]) -> Iterator[Diagnostic]:
    """F604 for each standard without a verdict, F605 for each that is not met."""
    for one in judged:
        if one.compliant is None:
            yield _silent(one)
        elif not one.compliant:
            yield _failed(one)


def _version(judged: Sequence[Judged]) -> str:
    return next((one.version for one in judged if one.version), "")


def _standard(one: Judged) -> dict[str, Any]:
    return {
        "standard": one.standard,
        "outcome": _OUTCOMES[one.compliant],
        "profile": one.profile,
        "why": one.why,
        "failures": [_failure(each) for each in one.failures],
    }


def _failure(each: Failure) -> Mapping[str, str]:
    return {
        "specification": each.specification,
        "clause": each.clause,
        "test": each.test,
        "description": each.about,
        "failed_checks": each.checks,
    }


def _no_pdf() -> Diagnostic:
    return Diagnostic(
        code="F702",
        message="--verapdf validates the PDF, and --formats leaves it out",
        address=None,
        hint="add pdf to --formats, or leave --verapdf out",
    )


def _silent(one: Judged) -> Diagnostic:
    return Diagnostic(
        code="F604",
        message=f"veraPDF gave no verdict on {one.standard}: {one.why}",
        address=None,
        hint="the report is written; run the program on report.pdf by hand to see what it says",
    )


def _failed(one: Judged) -> Diagnostic:
    rules = [f"{f.specification} {f.clause} ({f.about})" for f in one.failures[:_SHOWN]]
    more = f", and {len(one.failures) - _SHOWN} more" if len(one.failures) > _SHOWN else ""
    return Diagnostic(
        code="F605",
        message=f"report.pdf is not {one.standard}: {'; '.join(rules) or 'no rule is named'}{more}",
        address=None,
        hint=f"every rule that fails is in {FILE}; this is a defect of fiche: please report it",
    )
