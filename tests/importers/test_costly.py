"""What libraries read is read in a process of its own, however short; lines and JSON are not."""

import gzip
import os

import pytest

from fiche.importers import _costly, _intake
from fiche.importers._room import Room

MAIL = b"From: a@example.org\nTo: b@example.org\nMIME-Version: 1.0\n\nuses 24 GiB\n"
COSTLY = {
    "pdf": b"\n%PDF-1.7\n",
    "zip": b"PK\x03\x04",
    "pickle": b"\x80\x04}.",
    "html": b"<!doctype html><p>uses 24 GiB",
    "xml": b"<?xml version='1.0'?><nvidia_smi_log></nvidia_smi_log>",
    "xml in a log": b"step 1\n<?xml version='1.0'?><nvidia_smi_log></nvidia_smi_log>",
    "mail": MAIL,
}
PLAIN = [b"", b"RuntimeError: CUDA error: out of memory\n", b'{"a": 1}', b"[1]", b"a,b\n1,2\n"]


@pytest.mark.parametrize("name", COSTLY)
def test_what_a_library_reads_is_costly(name):
    assert _costly.is_costly(COSTLY[name])
    assert not _costly.is_plain(COSTLY[name])


@pytest.mark.parametrize("content", PLAIN)
def test_lines_and_json_are_not(content):
    assert not _costly.is_costly(content)
    assert _costly.is_plain(content)


def test_what_is_packed_or_in_another_encoding_is_not_plain():
    text = "RuntimeError: CUDA error: out of memory\n"
    assert not _costly.is_plain(gzip.compress(text.encode()))
    assert not _costly.is_plain(text.encode("utf-16"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no child on this system")
def test_a_mail_is_read_apart_by_both_ways_in(monkeypatch):
    apart = []
    within = _intake.within_budget

    def noted(*args, **named):
        apart.append(named["apart"])
        return within(*args, **named)

    monkeypatch.setattr(_intake, "within_budget", noted)
    assert Room().read(MAIL, "ab" * 32, "a.eml", "").kind == "document"
    assert apart == [True]
