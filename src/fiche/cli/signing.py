"""What `fiche sign` does: which key, its passphrase, the file, and what is said of it."""

from __future__ import annotations

import datetime
import hashlib
import os
from pathlib import Path
from typing import Any, TypeAlias

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.kernel.record import record

# Of pyHanko, which is optional.
Foreign: TypeAlias = Any


@record
class Keys:
    """Where key, certificate and the certificates above it lie, and the variable that holds a passphrase."""

    key: Path | None = None
    certificate: Path | None = None
    chain: tuple[Path, ...] = ()
    pkcs12: Path | None = None
    passphrase_env: str = ""


@record
class Asked:
    """How a signature is asked for."""

    pdf: Path
    keys: Keys
    output: Path
    timestamp_url: str = ""
    reason: str = ""
    location: str = ""
    name: str = ""
    force: bool = False


@record
class Written:
    """The signed file and what it is a signature of."""

    asked: Asked
    subject: str
    number: int
    before: bytes
    unsigned: bytes
    after: bytes


def write(asked: Asked) -> Written:
    """Sign and write.

    Raises:
        Refused: F610, F611 the file; F702 options; F920 to F925 what keeps it from being signed.
    """
    from fiche.cli.output import exists, write_file
    from fiche.cli.sign_draft import refuse_draft
    from fiche.render.signing import Said, signed
    from fiche.render.signing_keys import need_library, refuse_expired, refuse_weak
    from fiche.verify.unsigned import unsigned

    _refuse_options(asked)
    if not asked.force and (asked.output.exists() or asked.output.is_symlink()):
        raise Refused([exists(asked.output)])
    need_library()
    before = asked.pdf.read_bytes()
    signer, moment = _signer(asked.keys), datetime.datetime.now(datetime.UTC)
    refuse_expired(signer, moment)
    refuse_weak(signer)
    said = Said(reason=asked.reason, location=asked.location, name=asked.name)
    try:
        refuse_draft(before)
        made = signed(before, signer, said, asked.timestamp_url)
    except Refused as refused:
        raise _named(asked.pdf, refused) from refused
    write_file(asked.output, made.content, force=asked.force)
    return Written(
        asked=asked,
        subject=signer.signing_cert.subject.human_friendly,
        number=made.number,
        before=before,
        unsigned=unsigned(before),
        after=made.content,
    )


def told(written: Written, *, as_json: bool) -> None:
    """Say what was written, and the digest of what was signed: that one comes out again of the same inputs."""
    from fiche.cli.terminal import put_json, put_text

    asked = written.asked
    document = {
        "format": "fiche-signed/1",
        "file": str(asked.output),
        "bytes": len(written.after),
        "sha256": _digest(written.after),
        "signer": written.subject,
        "signatures": written.number,
        "level": "PAdES B-T" if asked.timestamp_url else "PAdES B-B",
        "unsigned": {"bytes": len(written.unsigned), "sha256": _digest(written.unsigned)},
    }
    put_json(document) if as_json else put_text(_text(document))


def _text(told: dict[str, Any]) -> str:
    from fiche.cli.terminal import clean

    before = told["signatures"] - 1
    beside = f", beside {before} that {'was' if before == 1 else 'were'} there" if before else ""
    return clean(
        f"{told['file']}  {told['bytes']} B  sha256 {told['sha256']}\n"
        f"signed ({told['level']}) with the certificate of {told['signer']}{beside}\n"
        f"without signatures: {told['unsigned']['bytes']} B  sha256 {told['unsigned']['sha256']}\n"
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _named(pdf: Path, refused: Refused) -> Refused:
    """The same, with the file's name in front."""
    return Refused(
        Diagnostic(code=d.code, message=f"{pdf}: {d.message}", address=None, hint=d.hint)
        if d.code == "F924"
        else d
        for d in refused.diagnostics
    )


def _refuse_options(asked: Asked) -> None:
    from fiche.cli.usage import together

    keys = asked.keys
    if keys.pkcs12 is not None and (keys.key is not None or keys.certificate is not None):
        raise Refused([together("--pkcs12 holds key and certificate", "leave the other two out")])
    if keys.pkcs12 is None and (keys.key is None or keys.certificate is None):
        hint = "say --key FILE --certificate FILE, or --pkcs12 FILE"
        raise Refused([together("a signature needs a key and its certificate", hint)])
    if asked.timestamp_url and not asked.timestamp_url.startswith(("http://", "https://")):
        hint = "write --timestamp-url http://… or https://…"
        raise Refused([together("a time stamp server has an address of the web", hint)])


def _signer(keys: Keys) -> Foreign:
    from fiche.render.signing_keys import is_locked, signer_of_pem, signer_of_pkcs12

    path = keys.pkcs12 or keys.key
    assert path is not None  # options were looked at before
    content = path.read_bytes()
    chain = [one.read_bytes() for one in keys.chain]
    passphrase = _passphrase(path, keys.passphrase_env) if is_locked(content) else None
    if keys.pkcs12 is not None:
        return signer_of_pkcs12(str(path), content, chain, passphrase)
    assert keys.certificate is not None
    return signer_of_pem(str(path), content, keys.certificate.read_bytes(), chain, passphrase)


def _passphrase(path: Path, variable: str) -> bytes:
    """Of the variable that was named, else typed by somebody at a terminal.

    Raises:
        Refused: F921 the variable is not there, or nobody is there to ask.
    """
    from fiche.cli.terminal import asked_in_secret

    if not variable:
        typed = asked_in_secret(f"passphrase of {path}: ")
        if typed is None:
            raise Refused(
                [_unasked(f"{path}: it opens with a passphrase only, and no one is asked")]
            )
        return typed.encode()
    value = os.environ.get(variable)
    if value is None:
        raise Refused([_unasked(f"there is no environment variable {variable}")])
    return value.encode("utf-8", "surrogateescape")


def _unasked(why: str) -> Diagnostic:
    return Diagnostic(
        code="F921",
        message=why,
        address=None,
        hint="say --passphrase-env NAME, the name of a variable that holds the passphrase",
    )
