"""Each signature of a PDF by itself: does it hold, who made it, when, and does anybody vouch for that."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Sequence
from typing import Any, TypeAlias

from fiche.kernel.record import record
from fiche.render.signing_keys import weakness
from fiche.verify._envelope import odd

# Of pyHanko, which is optional.
Foreign: TypeAlias = Any

# A certificate for either is one that people sign documents with.
_USES = {"non_repudiation", "digital_signature"}


@record
class Signer:
    """One signature. `whole` is true where it covers every byte of the file, `up_to` how far it reaches.

    `voucher` is the root that vouches for the signer, empty where none does. `claimed` is the time of the
    signer's own clock, `stamped` of a time stamp that holds, by `stamper`, whom `stamp_voucher` vouches for.
    """

    subject: str
    issuer: str
    serial: str
    holds: bool
    why: str
    whole: bool
    contiguous: bool
    self_signed: bool
    expires: datetime.datetime
    voucher: str = ""
    claimed: datetime.datetime | None = None
    stamped: datetime.datetime | None = None
    stamper: str = ""
    stamp_voucher: str = ""
    stamp_broken: bool = False
    is_stamp: bool = False


def roots_of(certificates: Sequence[bytes]) -> list[Foreign]:
    """The roots in these files (PEM or DER); those of this system where none is named.

    Raises:
        ValueError: one of them holds no certificate.
    """
    from pyhanko.keys import load_certs_from_pemder_data

    told = certificates or ssl.create_default_context().get_ca_certs(binary_form=True)
    found = [each for one in told for each in load_certs_from_pemder_data(one)]
    for each in found:
        _ = each.subject.native  # read to the end: asn1 is read late
    return found


def signer_of(content: bytes, signature: Foreign, roots: Sequence[Foreign]) -> Signer:
    """What one signature of a file says, and whether it holds; nothing is asked over the network."""
    status = _status(signature, roots, None)
    stamp = getattr(status, "timestamp_validity", None)
    if not status.trusted and stamp is not None and stamp.trusted:
        # A certificate may have run out since: it counts at the time that somebody else vouches for.
        status = _status(signature, roots, stamp.timestamp)
    is_stamp = str(signature.sig_object_type) == "/DocTimeStamp"
    own = status.signing_cert
    sound = stamp if stamp is not None and stamp.valid and stamp.intact else None
    strange = odd(content, signature) or _forgeable(signature)
    why = strange if status.intact else "the bytes that it covers are not those that were signed"
    return Signer(
        subject=own.subject.human_friendly,
        issuer=own.issuer.human_friendly,
        serial=format(own.serial_number, "x"),
        holds=bool(status.intact and status.valid and not strange),
        why=why,
        whole=status.coverage.name == "ENTIRE_FILE",
        contiguous=status.coverage.name in ("ENTIRE_FILE", "ENTIRE_REVISION"),
        self_signed=own.self_signed in ("yes", "maybe"),
        expires=own.not_valid_after,
        voucher=_voucher(status),
        claimed=None if is_stamp else status.signer_reported_dt,
        stamped=status.timestamp if is_stamp else sound.timestamp if sound else None,
        stamper=sound.signing_cert.subject.human_friendly if sound else "",
        stamp_voucher=_voucher(sound) if sound else "",
        stamp_broken=stamp is not None and sound is None,
        is_stamp=is_stamp,
    )


# Digests of which anybody makes two files with the same one.
_FORGED = ("md2", "md4", "md5", "sha1")


def _forgeable(signature: Foreign) -> str:
    """How others could have made the signature, too; empty where nobody knows how."""
    signer = signature.signer_info
    own = signer["signature_algorithm"]
    named = [own["algorithm"].native, signer["digest_algorithm"]["algorithm"].native]
    if named[0] == "rsassa_pss":
        named.append(own["parameters"]["hash_algorithm"]["algorithm"].native)
    digest = next((d for d in _FORGED for name in named if d in str(name).split("_")), "")
    if digest:
        return f"it rests on {digest}, which others can forge"
    weak = weakness(signature.signer_cert)
    return f"it was made by {weak}, which others can find out" if weak else ""


def _status(
    signature: Foreign, roots: Sequence[Foreign], moment: datetime.datetime | None
) -> Foreign:
    from pyhanko.sign.validation import (
        KeyUsageConstraints,
        validate_pdf_signature,
        validate_pdf_timestamp,
    )

    trust = [_context(signature, roots, moment), _context(signature, roots, None)]
    if str(signature.sig_object_type) == "/DocTimeStamp":
        return validate_pdf_timestamp(signature, trust[0], skip_diff=True)
    # What came after is looked at by `_seal`, more closely than pyHanko's own comparison does.
    return validate_pdf_signature(
        signature,
        *trust,
        key_usage_settings=KeyUsageConstraints(key_usage=_USES),
        skip_diff=True,
    )


def _context(
    signature: Foreign, roots: Sequence[Foreign], moment: datetime.datetime | None
) -> Foreign:
    from pyhanko_certvalidator import ValidationContext

    return ValidationContext(
        trust_roots=list(roots),
        other_certs=signature.other_embedded_certs,
        moment=moment,
        allow_fetching=False,
        revocation_mode="soft-fail",
    )


def _voucher(status: Foreign) -> str:
    """The root at the end of the chain, where the chain holds."""
    if not status.trusted or status.validation_path is None:
        return ""
    return str(status.validation_path.trust_anchor.authority.name.human_friendly)
