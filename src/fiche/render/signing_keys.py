"""A signer's key and certificate, read and held against each other before anything is signed.

Neither a key nor a passphrase is kept, logged or told: a refusal names the file and what is wrong with it.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, TypeAlias

from fiche.kernel.diagnostic import Diagnostic, Refused
from fiche.render.quiet import quiet

# Of pyHanko and cryptography, which are optional.
Foreign: TypeAlias = Any


def need_library() -> None:
    """Say what is missing before anybody is asked for a passphrase.

    Raises:
        Refused: F920 pyHanko is not installed.
    """
    try:
        import pyhanko.sign.signers  # noqa: F401
    except ImportError as error:
        diagnostic = Diagnostic(
            code="F920",
            message="signatures are made and read with pyHanko, which is not installed",
            address=None,
            hint="pip install 'fiche[sign]'",
        )
        raise Refused([diagnostic]) from error


def is_locked(key: bytes) -> bool:
    """True where a PEM or DER key, or a PKCS#12 file, opens with a passphrase only."""
    from cryptography.hazmat.primitives.serialization import pkcs12

    with quiet("pyhanko"):
        try:
            _private(key, None)
        except TypeError:  # cryptography's word for a passphrase that is missing
            return True
        except ValueError:
            try:
                pkcs12.load_pkcs12(key, None)
            except ValueError as error:
                return "password" in str(error).lower()
    return False


def signer_of_pem(
    name: str, key: bytes, certificate: bytes, chain: Sequence[bytes], passphrase: bytes | None
) -> Foreign:
    """A signer of a key and its certificate; `name` is the key's file, to name it.

    Raises:
        Refused: F921 the key cannot be used, F922 the certificate cannot, or is of another key.
    """
    from pyhanko.keys import load_certs_from_pemder_data, load_private_key_from_pemder_data
    from pyhanko.sign.signers import SimpleSigner
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    _private_or_refused(name, key, passphrase)
    try:
        own, *others = load_certs_from_pemder_data(certificate)
        more = [each for one in chain for each in load_certs_from_pemder_data(one)]
        for each in (own, *others, *more):
            _ = each.subject.native, each.not_valid_after
    except (ValueError, TypeError, KeyError) as error:
        raise Refused([_no_certificate()]) from error
    store = SimpleCertificateStore()
    store.register_multiple((*others, *more))
    made = SimpleSigner(
        signing_cert=own,
        signing_key=load_private_key_from_pemder_data(key, passphrase),
        cert_registry=store,
    )
    _agree(made)
    return made


def signer_of_pkcs12(
    name: str, content: bytes, chain: Sequence[bytes], passphrase: bytes | None
) -> Foreign:
    """A signer of a PKCS#12 file (`.p12`, `.pfx`), which has key, certificate and mostly the chain.

    Raises:
        Refused: F921 it does not open or has no key, F922 its certificate is missing or of another key.
    """
    from cryptography.hazmat.primitives.serialization import pkcs12
    from pyhanko.keys import load_certs_from_pemder_data
    from pyhanko.sign.signers import SimpleSigner

    try:
        key, certificate, _ = pkcs12.load_key_and_certificates(content, passphrase)
    except (ValueError, TypeError) as error:
        raise Refused([_no_key(name, _why(error, passphrase))]) from error
    if key is None:
        raise Refused([_no_key(name, "there is no private key in it")])
    if certificate is None:
        raise Refused([_no_certificate()])
    try:
        more = [each for one in chain for each in load_certs_from_pemder_data(one)]
    except (ValueError, TypeError) as error:
        raise Refused([_no_certificate()]) from error
    made = SimpleSigner.load_pkcs12_data(content, more, passphrase)
    _agree(made)
    return made


def refuse_expired(signer: Foreign, moment: datetime.datetime) -> None:
    """A signature with a certificate out of its time is worth nothing the day it is made.

    Raises:
        Refused: F923.
    """
    certificate = signer.signing_cert
    if certificate.not_valid_before <= moment <= certificate.not_valid_after:
        return
    late = moment > certificate.not_valid_after
    day = (certificate.not_valid_after if late else certificate.not_valid_before).date()
    diagnostic = Diagnostic(
        code="F923",
        message=f"the certificate {'expired on' if late else 'is not valid before'} {day}",
        address=None,
        hint="ask who issued it for a valid one, or check the clock of this machine",
    )
    raise Refused([diagnostic])


def refuse_weak(signer: Foreign) -> None:
    """A key that others can find out signs for anybody.

    Raises:
        Refused: F922.
    """
    found = weakness(signer.signing_cert)
    if found:
        hint = "make a key of 2048 bits of RSA or more, or of P-256, and have that certified"
        message = f"the certificate is of {found}, which others can find out"
        raise Refused([Diagnostic(code="F922", message=message, address=None, hint=hint)])


# The fewest bits of a key, by its kind; kinds of one length are not named.
_FEWEST = {"rsa": 2048, "rsassa_pss": 2048, "dsa": 2048, "ec": 224}


def weakness(certificate: Foreign) -> str:
    """What is wrong with the length of a certificate's key; empty where nothing is."""
    kind = certificate.public_key.algorithm
    if kind not in _FEWEST or certificate.public_key.bit_size >= _FEWEST[kind]:
        return ""
    return f"a key of {certificate.public_key.bit_size} bits ({kind.upper()})"


def _private(key: bytes, passphrase: bytes | None) -> Foreign:
    from pyhanko.keys import load_private_key_from_pemder_data

    return load_private_key_from_pemder_data(key, passphrase)


def _private_or_refused(name: str, key: bytes, passphrase: bytes | None) -> None:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        _private(key, passphrase)
    except TypeError:
        if passphrase is None:
            raise Refused([_no_key(name, "it opens with a passphrase only")]) from None
        # A passphrase for a key that has none: cryptography refuses, and so do we, for it is another key.
        raise Refused([_no_key(name, "it has no passphrase, and one is given")]) from None
    except (ValueError, UnsupportedAlgorithm) as error:
        raise Refused([_no_key(name, _why(error, passphrase))]) from None


def _why(error: Exception, passphrase: bytes | None) -> str:
    """No word of the library's, which might quote what it read."""
    told = str(error).lower()
    if "password" in told or "decrypt" in told:
        given = passphrase is not None
        return "the passphrase does not open it" if given else "it opens with a passphrase only"
    return "it holds no private key that can be read (PEM or DER)"


def _agree(signer: Foreign) -> None:
    """The certificate speaks of this very key.

    Raises:
        Refused: F922.
    """
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_der_private_key,
    )
    from cryptography.x509 import load_der_x509_certificate

    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    key = load_der_private_key(signer.signing_key.dump(), None).public_key()
    certified = load_der_x509_certificate(signer.signing_cert.dump()).public_key()
    if key.public_bytes(*form) != certified.public_bytes(*form):
        diagnostic = Diagnostic(
            code="F922",
            message="the certificate is of another key",
            address=None,
            hint="give the certificate that was issued for this key; the chain goes to --chain",
        )
        raise Refused([diagnostic])


def _no_key(name: str, why: str) -> Diagnostic:
    return Diagnostic(
        code="F921",
        message=f"{name}: {why}",
        address=None,
        hint="say --passphrase-env NAME, the name of a variable that holds the passphrase, or type it "
        "when asked; openssl pkey -in FILE -noout says whether a key is one",
    )


def _no_certificate() -> Diagnostic:
    return Diagnostic(
        code="F922",
        message="there is no certificate that can be read (X.509, PEM or DER)",
        address=None,
        hint="openssl x509 -in FILE -noout -subject says whether a file is one",
    )
