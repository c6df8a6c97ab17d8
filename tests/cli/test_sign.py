"""`fiche sign`: a signature behind the bytes of a report, and what is refused before anything is written."""

import hashlib
import os
import pty
import subprocess
import sys
from pathlib import Path

import pikepdf
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from signers import ada, alone, authority, holder, stamp_server

from fiche.verify.signature import Trust, signature_step
from fiche.verify.unsigned import unsigned

GUIDE = Path(__file__).parents[2] / "samples" / "guide" / "fiche.yaml"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    from fiche.cli.compile import compile_fiche
    from fiche.cli.reports import Asked, files

    return files(compile_fiche(GUIDE), Asked(formats=("pdf",)))["report.pdf"]


@pytest.fixture
def report(made, tmp_path):
    path = tmp_path / "report.pdf"
    path.write_bytes(made)
    return path


@pytest.fixture
def keys(tmp_path):
    return ada().written(tmp_path)


def test_the_report_is_an_untouched_prefix_of_the_signed_file(fiche, report, keys, made):
    ended = fiche("sign", report, *keys, "--json")
    assert ended.code == 0
    told = ended.json()
    signed = report.with_name("report.signed.pdf").read_bytes()
    assert told["format"] == "fiche-signed/1"
    assert told["sha256"] == hashlib.sha256(signed).hexdigest()
    assert told["unsigned"] == {"bytes": len(made), "sha256": hashlib.sha256(made).hexdigest()}
    assert (told["level"], told["signatures"]) == ("PAdES B-B", 1)
    assert "Ada" in told["signer"]
    assert report.read_bytes() == made
    assert signed.startswith(made)
    assert unsigned(signed) == made
    with pikepdf.open(report.with_name("report.signed.pdf")) as pdf:
        (field,) = pdf.Root.AcroForm.Fields
        assert str(field.V.SubFilter) == "/ETSI.CAdES.detached"


def test_what_the_signer_says_is_in_it(fiche, report, keys):
    said = ("--reason", "Accordé", "--location", "Lyon", "--name", "A. Martin")
    assert fiche("sign", report, *keys, *said).code == 0
    with pikepdf.open(report.with_name("report.signed.pdf")) as pdf:
        signature = pdf.Root.AcroForm.Fields[0].V
        told = (str(signature.Reason), str(signature.Location), str(signature.Name))
    assert told == ("Accordé", "Lyon", "A. Martin")


def test_a_second_signature_is_added_and_said(fiche, report, keys, made, tmp_path):
    fiche("sign", report, *keys)
    other = alone().written(tmp_path)
    ended = fiche("sign", tmp_path / "report.signed.pdf", *other, "-o", tmp_path / "both.pdf")
    assert ended.code == 0
    assert "beside 1 that was there" in ended.out
    both = (tmp_path / "both.pdf").read_bytes()
    assert unsigned(both) == made
    step = signature_step(both, Trust())
    assert (step.outcome, step.bytes_covered) == ("ok", len(both))


def test_a_time_stamp_is_asked_of_the_server(fiche, report, keys, tmp_path):
    with stamp_server() as url:
        ended = fiche("sign", report, *keys, "--timestamp-url", url, "--json")
    assert ended.json()["level"] == "PAdES B-T"
    step = signature_step(
        (tmp_path / "report.signed.pdf").read_bytes(), Trust(roots=(authority().pem,))
    )
    assert step.outcome == "ok"
    assert any("time stamped" in p.text and "A clock of this test" in p.text for p in step.points)


@pytest.mark.parametrize("answer", [b"", b"\x30\x03\x02\x01\x02", b"<html>"])
def test_a_server_that_gives_no_time_stamp(fiche, report, keys, answer):
    with stamp_server(answer) as url:
        ended = fiche("sign", report, *keys, "--timestamp-url", url)
    assert (ended.code, "F925 " in ended.err) == (2, True)
    assert "hidden" not in ended.err
    assert not report.with_name("report.signed.pdf").exists()


def test_no_server_at_all(fiche, report, keys):
    ended = fiche("sign", report, *keys, "--timestamp-url", "http://127.0.0.1:9/tsa")
    assert (ended.code, "F925 " in ended.err) == (2, True)


# --- The key and its passphrase ---------------------------------------------------------------


def test_a_pkcs12_file_and_a_passphrase_in_a_variable(fiche, report, tmp_path, monkeypatch):
    (tmp_path / "me.p12").write_bytes(ada().pkcs12(b"se cret"))
    monkeypatch.setenv("WORD", "se cret")
    ended = fiche("sign", report, "--pkcs12", tmp_path / "me.p12", "--passphrase-env", "WORD")
    assert ended.code == 0
    signed = (tmp_path / "report.signed.pdf").read_bytes()
    step = signature_step(signed, Trust(roots=(authority().pem,), vouched=True))
    assert step.outcome == "ok"


def test_an_rsa_key_with_a_chain(fiche, report, tmp_path):
    middle = holder("In between", issuer=authority(), is_authority=True)
    keys = holder("Below", issuer=middle, kind="rsa").written(tmp_path)
    (tmp_path / "chain.pem").write_bytes(middle.pem)
    assert fiche("sign", report, *keys, "--chain", tmp_path / "chain.pem").code == 0
    signed = (tmp_path / "report.signed.pdf").read_bytes()
    assert signature_step(signed, Trust(roots=(authority().pem,), vouched=True)).outcome == "ok"
    assert fiche("sign", report, *keys, "--force").code == 0
    signed = (tmp_path / "report.signed.pdf").read_bytes()
    assert signature_step(signed, Trust(roots=(authority().pem,), vouched=True)).outcome == "failed"


@pytest.mark.parametrize("form", ["pem", "pkcs12"])
@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ({"WORD": "wrong"}, "the passphrase does not open it"),
        ({}, "there is no environment variable WORD"),
        (None, "it opens with a passphrase only, and no one is asked"),
    ],
)
def test_a_passphrase_that_does_not_open_the_key(
    fiche, report, tmp_path, monkeypatch, form, variable, said
):
    (tmp_path / "key.pem").write_bytes(ada().key_pem(b"right"))
    (tmp_path / "cert.pem").write_bytes(ada().pem)
    (tmp_path / "me.p12").write_bytes(ada().pkcs12(b"right"))
    keys = ("--key", tmp_path / "key.pem", "--certificate", tmp_path / "cert.pem")
    keys = ("--pkcs12", tmp_path / "me.p12") if form == "pkcs12" else keys
    for name, value in (variable or {}).items():
        monkeypatch.setenv(name, value)
    named = () if variable is None else ("--passphrase-env", "WORD")
    ended = fiche("sign", report, *keys, *named)
    assert (ended.code, ended.out) == (2, "")
    assert "F921 " in ended.err
    assert said in ended.err
    assert "wrong" not in ended.err
    assert not (tmp_path / "report.signed.pdf").exists()


def test_a_passphrase_is_asked_for_at_a_terminal_and_not_shown(report, tmp_path):
    (tmp_path / "key.pem").write_bytes(ada().key_pem(b"right"))
    (tmp_path / "cert.pem").write_bytes(ada().pem)
    words = ["sign", report, "--key", tmp_path / "key.pem", "--certificate", tmp_path / "cert.pem"]
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "fiche", *map(str, words)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=_controlling,
    )
    os.close(theirs)
    seen = b""
    while b"passphrase of" not in seen:
        seen += os.read(ours, 1024)
    os.write(ours, b"right\n")
    while True:
        try:
            seen += os.read(ours, 1024)
        except OSError:  # the terminal is gone with the process
            break
    assert running.wait() == 0, seen
    assert b"right" not in seen
    assert (tmp_path / "report.signed.pdf").exists()


def _controlling():
    """The terminal on standard input becomes the process's own, as getpass wants one."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n"])
def test_a_file_that_is_no_key(fiche, report, tmp_path, content):
    keys = ada().written(tmp_path)
    (tmp_path / "key.pem").write_bytes(content)
    ended = fiche("sign", report, *keys)
    assert (ended.code, "F921 " in ended.err) == (2, True)


def test_a_certificate_of_another_key(fiche, report, tmp_path):
    keys = ada().written(tmp_path)
    (tmp_path / "cert.pem").write_bytes(alone().pem)
    ended = fiche("sign", report, *keys)
    assert (ended.code, "F922 the certificate is of another key" in ended.err) == (2, True)


@pytest.mark.parametrize("name", ["cert.pem", "chain.pem"])
def test_a_file_that_is_no_certificate(fiche, report, tmp_path, name):
    keys = ada().written(tmp_path)
    (tmp_path / "chain.pem").write_bytes(authority().pem)
    (tmp_path / name).write_bytes(b"no certificate")
    ended = fiche("sign", report, *keys, "--chain", tmp_path / "chain.pem")
    assert (ended.code, "F922 there is no certificate" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("days", "said"), [((-30, -1), "expired on"), ((2, 30), "not valid before")]
)
def test_a_certificate_out_of_its_time(fiche, report, tmp_path, days, said):
    ended = fiche("sign", report, *holder("Late", days=days).written(tmp_path))
    assert (ended.code, "F923 " in ended.err, said in ended.err) == (2, True, True)
    assert not (tmp_path / "report.signed.pdf").exists()


def test_a_key_that_others_can_find_out(fiche, report, tmp_path):
    weak = holder("Short", key=rsa.generate_private_key(65537, 1024))
    ended = fiche("sign", report, *weak.written(tmp_path))
    assert (ended.code, "F922 " in ended.err, "1024 bits" in ended.err) == (2, True, True)
    assert not (tmp_path / "report.signed.pdf").exists()


# --- The file ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"", b"<html>", b"%PDF-1.7\n", b"%PDF-1.7\nstartxref\n9\n%%EOF\n"]
)
def test_a_file_that_is_no_pdf(fiche, report, keys, content):
    report.write_bytes(content)
    ended = fiche("sign", report, *keys)
    assert (ended.code, "F924 " in ended.err, str(report) in ended.err) == (2, True, True)


def test_a_cut_pdf(fiche, report, keys, made):
    report.write_bytes(made[: len(made) // 2])
    ended = fiche("sign", report, *keys)
    assert (ended.code, "F924 " in ended.err) == (2, True)


@pytest.mark.parametrize("user", ["", "open"])
def test_an_encrypted_pdf(fiche, report, keys, tmp_path, user):
    with pikepdf.open(report) as pdf:
        pdf.save(tmp_path / "locked.pdf", encryption=pikepdf.Encryption(owner="o", user=user))
    ended = fiche("sign", tmp_path / "locked.pdf", *keys)
    assert (ended.code, "F924 " in ended.err) == (2, True)
    assert "encrypted" in ended.err


@pytest.mark.parametrize("tag", ["en", "tr"])
def test_a_draft_is_not_signed(fiche, keys, tmp_path, tag):
    drafted = ("--draft", "--language", tag, "--formats", "pdf")
    assert fiche("report", GUIDE, "-o", tmp_path / "out", *drafted).code == 0
    ended = fiche("sign", tmp_path / "out" / "report.pdf", *keys)
    assert (ended.code, "F924 " in ended.err, "it is a draft" in ended.err) == (2, True, True)
    assert not (tmp_path / "out" / "report.signed.pdf").exists()


def test_a_pdf_that_is_no_report_is_signed_too(fiche, keys, tmp_path):
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(tmp_path / "other.pdf")
    assert fiche("sign", tmp_path / "other.pdf", *keys).code == 0


def test_nothing_is_written_over_unasked(fiche, report, keys, made):
    for output in (report, report.with_name("other.pdf")):
        output.write_bytes(made)
        ended = fiche("sign", report, *keys, "-o", output)
        assert (ended.code, "F610 " in ended.err) == (2, True)
        assert output.read_bytes() == made
    assert fiche("sign", report, *keys, "-o", report, "--force").code == 0
    assert unsigned(report.read_bytes()) == made != report.read_bytes()


def test_a_file_that_is_not_there(fiche, report, keys, tmp_path):
    ended = fiche("sign", tmp_path / "gone.pdf", *keys)
    assert (ended.code, "F700 " in ended.err) == (2, True)


def test_a_folder_that_takes_no_file(fiche, report, keys, tmp_path):
    ended = fiche("sign", report, *keys, "-o", report / "below.pdf")
    assert (ended.code, "F611 " in ended.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--key", "key.pem"),
        ("--certificate", "cert.pem"),
        ("--pkcs12", "me.p12", "--key", "key.pem"),
        ("--key", "k", "--certificate", "c", "--timestamp-url", "file:///etc/passwd"),
    ],
)
def test_options_that_do_not_go_together(fiche, report, words):
    ended = fiche("sign", report, *words)
    assert (ended.code, "F702 " in ended.err) == (2, True)


def test_what_is_missing_is_one_command(fiche, report, keys, monkeypatch):
    for name in ("pyhanko.sign.signers", "pyhanko.sign"):
        monkeypatch.setitem(sys.modules, name, None)
    ended = fiche("sign", report, *keys)
    assert (ended.code, "F920 " in ended.err) == (2, True)
    assert "pip install 'fiche[sign]'" in ended.err
