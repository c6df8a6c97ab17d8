"""An invisible PAdES signature on a finished PDF, as an update behind its bytes: pyHanko makes it.

The bytes that were there stay as they are, in front. Behind them comes a field without a picture, outside the
page, and nothing else: metadata keeps saying what it said, so that both standards hold and a reader sees by
the objects alone that nothing but a signature came. It is a plain signature (no certification), for several
people sign a decision, in any order.
"""

from __future__ import annotations

import io
from typing import Any, TypeAlias

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record
from fiche.render.quiet import quiet

# Of pyHanko, which is optional.
Foreign: TypeAlias = Any

_NAME = "Signature{}"
_SPOKEN = "Signature of {}"


@record
class Said:
    """What a signer says with it; empty for nothing. `name` is written beside what the certificate says."""

    reason: str = ""
    location: str = ""
    name: str = ""


@record
class Signed:
    """The signed file; `number` says which signature of the file it is: 1 for the first."""

    content: bytes
    number: int


def signed(pdf: bytes, signer: Foreign, said: Said, timestamp_url: str = "") -> Signed:
    """The PDF with one more signature, and a time stamp of that server where one is named.

    Raises:
        Refused: F924 it is no PDF, is encrypted or damaged; F925 the server gives no time stamp.
    """
    with quiet("pyhanko", "pyhanko_certvalidator"):
        writer = _writer(pdf)
        number = 1 + _signatures(writer)
        meta = _meta(number, said)
        content = _written(writer, signer, meta, number, timestamp_url)
    return Signed(content=content, number=number)


def _writer(pdf: bytes) -> Foreign:
    """An update of the file.

    Raises:
        Refused: F924.
    """
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.pdf_utils.misc import PdfError

    class Still(IncrementalPdfFileWriter):  # type: ignore[misc, unused-ignore]
        """Leaves metadata (pyHanko's own loses PDF/A's schemas) and version (PDF/A-3 is of 1.7) as they are."""

        def _update_meta(self) -> None:
            pass

        def ensure_output_version(self, version: Foreign) -> None:
            pass

        def register_extension(self, ext: Foreign) -> None:
            if str(ext.base_version) == "/1.7":
                super().register_extension(ext)

    if not pdf.startswith(b"%PDF-"):
        raise Refused([unusable("it is no PDF", "name the report.pdf that `fiche report` wrote")])
    try:
        writer = Still(io.BytesIO(pdf))
        encrypted = writer.prev.encrypted
        writer.root["/Pages"]["/Kids"][0].get_object()
    except (PdfError, ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        why = f"it cannot be read: {str(error) or type(error).__name__}"
        raise Refused([unusable(why, "write the report again, or copy it again")]) from error
    if encrypted:
        hint = "sign the file before it is encrypted: PDF/A allows no encryption"
        raise Refused([unusable("it is encrypted", hint)])
    return writer


def _signatures(writer: Foreign) -> int:
    return len(list(writer.prev.embedded_signatures))


def _meta(number: int, said: Said) -> Foreign:
    from pyhanko.sign.fields import SigSeedSubFilter
    from pyhanko.sign.signers import PdfSignatureMetadata

    return PdfSignatureMetadata(
        field_name=_NAME.format(number),
        subfilter=SigSeedSubFilter.PADES,
        reason=said.reason or None,
        location=said.location or None,
        name=said.name or None,
    )


def _written(
    writer: Foreign, signer: Foreign, meta: Foreign, number: int, timestamp_url: str
) -> bytes:
    from pyhanko.pdf_utils.misc import PdfError
    from pyhanko.sign.general import SigningError
    from pyhanko.sign.signers import PdfSigner
    from pyhanko.sign.timestamps import TimestampRequestError

    stamper = _stamper(timestamp_url) if timestamp_url else None
    made = PdfSigner(meta, signer, timestamper=stamper, new_field_spec=_field(number, _who(signer)))
    try:
        return bytes(made.sign_pdf(writer).getvalue())
    except TimestampRequestError as error:
        raise Refused([_unstamped(timestamp_url, error)]) from error
    except (PdfError, SigningError, ValueError) as error:
        hint = "write the report again, and sign that"
        raise Refused([unusable(f"it takes no signature: {error}", hint)]) from error


def _stamper(url: str) -> Foreign:
    """A server whose answers that are none are told from a file that takes no signature."""
    from pyhanko.sign.timestamps import HTTPTimeStamper, TimestampRequestError

    class Stamper(HTTPTimeStamper):  # type: ignore[misc, unused-ignore]
        """Asks over HTTP; whatever it gets that is no time stamp is one kind of error."""

        async def async_timestamp(self, message_digest: bytes, md_algorithm: str) -> Foreign:
            try:
                return await super().async_timestamp(message_digest, md_algorithm)
            except (ValueError, TypeError, LookupError) as error:
                raise TimestampRequestError("its answer is no time stamp") from error

    return Stamper(url, timeout=_SECONDS)


_SECONDS = 30


def _field(number: int, who: str) -> Foreign:
    """Outside the page: what nobody sees needs no tag (PDF/UA-1, 7.18.1), and it has a name to be read."""
    from pyhanko.sign.fields import InvisSigSettings, SigFieldSpec

    return SigFieldSpec(
        _NAME.format(number),
        readable_field_name=_SPOKEN.format(who),
        invis_sig_settings=InvisSigSettings(box_out_of_bounds=True),
    )


def _who(signer: Foreign) -> str:
    subject = signer.signing_cert.subject
    return str(subject.native.get("common_name") or subject.human_friendly)


def unusable(why: str, hint: str) -> Diagnostic:
    """What is said of a file that takes no signature (F924)."""
    return Diagnostic(code="F924", message=why, address=None, hint=hint)


def _unstamped(url: str, error: Exception) -> Diagnostic:
    """The server is named without what its address may hold of a name and a password."""
    from urllib.parse import urlsplit

    return Diagnostic(
        code="F925",
        message=f"no time stamp from {urlsplit(url).hostname or 'that address'}: {error}",
        address=None,
        hint="check --timestamp-url, or sign without a time stamp: nothing was written",
    )
