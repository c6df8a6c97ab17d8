"""What a fiche says of a file that was attached: its digest, what was replaced in it, secrets in it."""

import gzip
import hashlib

import pytest
from loading import fiche_of, refusals

LOG = b"step 1\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwx\n"
DIGEST = hashlib.sha256(LOG).hexdigest()


def cited(line):
    return f"pieces:\n  - {{id: p, file: run.log, kind: document, {line}}}\n"


def piece(line, content=LOG):
    (found,) = fiche_of(cited(line), files={"run.log": content}).pieces
    return found


def test_a_file_that_changed_since_it_was_attached_is_refused():
    """F480, at the digest that it no longer has."""
    assert piece(f'sha256: "{DIGEST}"').sha256 == DIGEST
    line = cited(f'sha256: "{"0" * 64}"')
    assert refusals(line, files={"run.log": LOG}) == [("F480", 6, 52)]


@pytest.mark.parametrize("digest", ["12", DIGEST.upper(), f"{DIGEST}0"])
def test_a_digest_is_64_digits(digest):
    assert [c for c, _, _ in refusals(cited(f'sha256: "{digest}"'), files={"run.log": LOG})] == [
        "F305"
    ]


def test_what_was_replaced_is_counted_by_kind():
    assert piece("redacted: {user: 2, token: 1}").redacted == {"user": 2, "token": 1}
    assert piece("version: 1").redacted == {}


@pytest.mark.parametrize("told", ["{user: 0}", "{users: 1}", "true", "{user: 1.5}"])
def test_only_known_kinds_are_counted(told):
    assert refusals(cited(f"redacted: {told}"), files={"run.log": LOG}) != []


@pytest.mark.parametrize("content", [LOG, gzip.compress(LOG), LOG.decode().encode("utf-16")])
def test_a_secret_is_warned_of_whatever_the_file_is_wrapped_in(content):
    (told,) = piece("version: 1", content).reading.warnings
    assert told.startswith(
        "secret_in_file: this looks like a secret: line 2: a Hugging Face token;"
    )
    assert "hf_" not in told


def test_a_broken_wrapping_is_no_matter_of_secrets():
    assert piece("version: 1", b"\x1f\x8bbroken").reading.warnings == ()
