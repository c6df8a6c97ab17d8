"""`fiche sign`: an invisible PAdES signature behind the bytes of a report's PDF, into a new file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fiche.cli.deferred import typer

_KEY = "the signer's private key (PEM or DER)"
_CERTIFICATE = "the certificate of that key (X.509, PEM or DER)"
_CHAIN = "certificates between it and a root (repeatable)"
_PKCS12 = "key and certificate in one file (.p12, .pfx), instead of those two"
_PASSPHRASE = "the environment variable that holds the passphrase; else it is asked for"
_OUTPUT = "the signed file; else NAME.signed.pdf beside it"
_TIMESTAMP = "a time stamp server (RFC 3161): asked over the network"
_REASON = "why it is signed, written in the signature"
_LOCATION = "where it is signed, written in the signature"
_NAME = "who signs, beside what the certificate says"
_FORCE = "replace the file that is there, the input too"
_JSON = "print one JSON object"


def sign(
    pdf: Annotated[Path, typer.Argument(metavar="PDF", help="the report.pdf to sign")],
    key: Annotated[Path | None, typer.Option("--key", metavar="FILE", help=_KEY)] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", metavar="FILE", help=_CERTIFICATE)
    ] = None,
    chain: Annotated[
        list[Path] | None, typer.Option("--chain", metavar="FILE", help=_CHAIN)
    ] = None,
    pkcs12: Annotated[Path | None, typer.Option("--pkcs12", metavar="FILE", help=_PKCS12)] = None,
    passphrase_env: Annotated[
        str, typer.Option("--passphrase-env", metavar="NAME", help=_PASSPHRASE)
    ] = "",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help=_OUTPUT)
    ] = None,
    timestamp_url: Annotated[
        str, typer.Option("--timestamp-url", metavar="URL", help=_TIMESTAMP)
    ] = "",
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help=_REASON)] = "",
    location: Annotated[str, typer.Option("--location", metavar="TEXT", help=_LOCATION)] = "",
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help=_NAME)] = "",
    force: Annotated[bool, typer.Option("--force", help=_FORCE)] = False,
    json: Annotated[bool, typer.Option("--json", help=_JSON)] = False,
) -> None:
    """Sign a report's PDF; nothing is seen on a page.

    The signature (PAdES) stands behind the report's bytes, which stay as they are. A second signature is
    added the same way. The passphrase of a key is never an argument: others see those.
    """
    from fiche.cli.signing import Asked, Keys, told, write

    asked = Asked(
        pdf=pdf,
        keys=Keys(
            key=key,
            certificate=certificate,
            chain=tuple(chain or ()),
            pkcs12=pkcs12,
            passphrase_env=passphrase_env,
        ),
        output=output or pdf.with_suffix(".signed.pdf"),
        timestamp_url=timestamp_url,
        reason=reason,
        location=location,
        name=name,
        force=force,
    )
    told(write(asked), as_json=json)
