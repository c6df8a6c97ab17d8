"""The signatures of a report's PDF as a step of verifying: they hold, cover every byte, and changed nothing.

pyHanko's own bottom line is true for a file that somebody wrote more bytes behind, and for a signature over a
page that its own update repainted. So three things are asked of a signed file: each signature is intact and
valid; the last covers the file to its last byte; and the updates they came with brought signatures alone.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import record, replace
from fiche.render.quiet import quiet
from fiche.verify._seal import Seal
from fiche.verify._signers import Signer, roots_of, signer_of
from fiche.verify.bounds import bounded, too_much
from fiche.verify.step import Sheet, Step
from fiche.verify.unsigned import unsigned

# Of pyHanko, which is optional.
Foreign: TypeAlias = Any

_TITLE = "Signature"
_MOST, _MOST_UPDATES = 200, 500
_NO_LIBRARY = "is signed; pip install 'fiche[sign]' to have its signature looked at"


@record
class Trust:
    """Whom signers are vouched for by: certificates of roots (PEM or DER), or this system's where none.

    `signed` asks that somebody signed, `vouched` that a root vouches for each signer.
    """

    roots: tuple[bytes, ...] = ()
    signed: bool = False
    vouched: bool = False


def signature_step(content: bytes, trust: Trust) -> Step:
    """What the signatures of a PDF are worth; `bytes_covered` is the whole file where all are whole."""
    sheet = Sheet("signature", _TITLE)
    signers: list[Signer] = []
    before = unsigned(content)
    if len(before) == len(content) or not _has_library():
        _unread(sheet, trust, is_signed=len(before) < len(content))
    else:
        with quiet("pyhanko", "pyhanko_certvalidator"):
            signers = _read(sheet, content, before, trust)
    step = sheet.step(_looked_at(signers, len(content) - len(before)))
    # Whom nobody vouches for has signed these bytes all the same.
    holds = bool(signers) and all(point.code == "F929" for point in step.faults)
    return replace(step, bytes_covered=len(content) if holds else 0)


def _has_library() -> bool:
    try:
        import pyhanko.sign.validation  # noqa: F401
    except ImportError:
        return False
    return True


def _unread(sheet: Sheet, trust: Trust, *, is_signed: bool) -> None:
    if is_signed and (trust.signed or trust.vouched):
        sheet.fault("F920", f"the file {_NO_LIBRARY}")
    elif is_signed:
        sheet.unproven(f"the file {_NO_LIBRARY}")
    elif trust.signed:
        sheet.fault("F928", "nobody signed the file")
    else:
        sheet.say("nobody signed the file")


def _read(sheet: Sheet, content: bytes, before: bytes, trust: Trust) -> list[Signer]:
    from pyhanko.pdf_utils.reader import PdfFileReader

    try:
        roots = roots_of(trust.roots)
    except (ValueError, TypeError) as error:
        sheet.fault("F922", f"a certificate to trust cannot be read: {error}")
        return []
    try:
        with bounded(len(content)):
            reader = PdfFileReader(io.BytesIO(content))
            if reader.xrefs.total_revisions > _MOST_UPDATES:
                raise too_much(f"it was updated more than {_MOST_UPDATES} times")
            signers = [signer_of(content, each, roots) for each in _told_by(reader)]
            seal = Seal(reader, PdfFileReader(io.BytesIO(before)))
    except Refused:
        raise
    except Exception as error:  # noqa: BLE001 - a file that somebody made to trip it brings out any of them
        why = " ".join(str(error).split())[:200] or type(error).__name__
        sheet.fault("F926", f"the signature cannot be read: {why}")
        return []
    _judge(sheet, signers, seal, trust)
    return signers


def _told_by(reader: Foreign) -> list[Foreign]:
    """Every signature.

    Raises:
        Refused: F903 there are more than people who sign.
    """
    found = list(islice(reader.embedded_signatures, _MOST + 1))
    if len(found) > _MOST:
        raise too_much(f"more than {_MOST} signatures")
    return found


def _judge(sheet: Sheet, signers: Sequence[Signer], seal: Seal, trust: Trust) -> None:
    if not any(not each.is_stamp for each in signers):
        sheet.fault("F926", "the file has a signature that no form of it lists")
    for each in signers:
        if not each.holds:
            why = each.why or "its key did not make it"
            sheet.fault("F926", f"the signature of {each.subject} does not hold: {why}")
        if each.stamp_broken:
            sheet.fault("F926", f"the time stamp on the signature of {each.subject} does not hold")
        if not each.contiguous:
            sheet.fault("F927", f"the signature of {each.subject} leaves bytes before it uncovered")
        if trust.vouched and not each.voucher:
            sheet.fault("F929", f"nobody vouches here for {each.subject}")
    if signers and not signers[-1].whole:
        sheet.fault("F927", "there are bytes behind the last signature that nobody signed")
    for said in dict.fromkeys(seal.changes):
        sheet.fault("F927", f"with a signature came a change of the report: {said}")
    for each in signers:
        for said in _said(each):
            sheet.say(said)
    if seal.restated:
        sheet.say("the program that signed also wrote its name and the time into the metadata")
    if signers:
        sheet.say("whether a certificate was revoked is not asked: that needs the network")


def _said(signer: Signer) -> Iterator[str]:
    """Who, by whom, when: what a person wants to read of a signature."""
    what = "time stamp" if signer.is_stamp else "signed"
    issuer = "itself" if signer.self_signed else signer.issuer
    yield f"{what} by {signer.subject}, certified by {issuer}, serial number {signer.serial}"
    if signer.stamped is not None:
        known = f", vouched for by {signer.stamp_voucher}" if signer.stamp_voucher else ""
        by = f" by {signer.stamper}{known or ', whom nobody vouches for here'}"
        yield f"time stamped {_moment(signer.stamped)}{'' if signer.is_stamp else by}"
    if signer.claimed is not None:
        yield f"signed {_moment(signer.claimed)} by the signer's own clock"
    if signer.voucher:
        yield f"vouched for by {signer.voucher}"
    else:
        yield f"signed by a key that nobody vouches for here (valid until {signer.expires.date()})"


def _moment(moment: Foreign) -> str:
    import datetime

    return str(moment.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC"))


def _looked_at(signers: Sequence[Signer], num_bytes: int) -> str:
    if not signers:
        return "the end of the file"
    count = f"{len(signers)} signatures" if len(signers) > 1 else "1 signature"
    return f"{count} in {num_bytes} bytes behind the report"
