"""Keys, certificates and a time stamp server, made while a test runs: none is kept, none is anybody's."""

import datetime
import threading
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


class Holder:
    """A key and the certificate of it."""

    def __init__(self, key, certificate, issuer=None):
        self.key = key
        self.certificate = certificate
        self.issuer = issuer

    @property
    def pem(self):
        return self.certificate.public_bytes(Encoding.PEM)

    def key_pem(self, passphrase=None):
        lock = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)

    def pkcs12(self, passphrase):
        chain = [self.issuer.certificate] if self.issuer else None
        lock = BestAvailableEncryption(passphrase)
        return pkcs12.serialize_key_and_certificates(b"me", self.key, self.certificate, chain, lock)

    def written(self, folder):
        """The two files as `--key` and `--certificate` take them."""
        (folder / "key.pem").write_bytes(self.key_pem())
        (folder / "cert.pem").write_bytes(self.pem)
        return ("--key", folder / "key.pem", "--certificate", folder / "cert.pem")


@cache
def authority():
    return holder("A root of this test", days=(-30, 30), is_authority=True)


@cache
def ada():
    """Somebody whom the root vouches for."""
    return holder("Ada", issuer=authority())


@cache
def alone():
    """Somebody whom nobody vouches for."""
    return holder("Alone")


@cache
def stamper():
    days = (-30, 30)
    return holder(
        "A clock of this test", issuer=authority(), days=days, is_stamper=True, kind="rsa"
    )


def holder(
    name, issuer=None, days=(-1, 30), *, is_authority=False, is_stamper=False, kind="ec", key=None
):
    if key is None:
        key = (
            ec.generate_private_key(ec.SECP256R1())
            if kind == "ec"
            else rsa.generate_private_key(65537, 2048)
        )
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days[0]))
        .not_valid_after(now + datetime.timedelta(days[1]))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(_usage(is_authority), critical=True)
    )
    if is_stamper:
        used = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        made = made.add_extension(used, critical=True)
    by = issuer.key if issuer else key
    signed = made.sign(by, None if isinstance(by, ed448.Ed448PrivateKey) else hashes.SHA256())
    return Holder(key, signed, issuer)


def _usage(is_authority):
    names = (
        *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
        *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
    )
    wanted = {"key_cert_sign", "crl_sign"} if is_authority else {"content_commitment"}
    return x509.KeyUsage(**{name: name in wanted for name in names})


@contextmanager
def stamp_server(answer=None, moment=None):
    """A time stamp server of this machine, whose clock stands at `moment` where that is told.

    `answer` is what it says instead of a time stamp.
    """
    from asn1crypto import keys, tsp
    from asn1crypto import x509 as asn1
    from pyhanko.sign.timestamps import DummyTimeStamper

    def der(one):
        return one.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())

    clock = DummyTimeStamper(
        asn1.Certificate.load(stamper().certificate.public_bytes(Encoding.DER)),
        keys.PrivateKeyInfo.load(der(stamper().key)),
        fixed_dt=moment,
    )

    class Stamps(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = tsp.TimeStampReq.load(self.rfile.read(int(self.headers["Content-Length"])))
            told = clock.request_tsa_response(asked).dump() if answer is None else answer
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Stamps)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://user:hidden@127.0.0.1:{server.server_port}/tsa"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
