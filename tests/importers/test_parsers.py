"""What parsers of others raise is a refusal; a defect of fiche's own stays one (law 7)."""

import zipfile
from xml.parsers import expat

import pytest

from fiche.importers import _detect, _parsers
from fiche.importers._parsers import parsed, read_by_others
from fiche.kernel.diagnostic import Refused
from fiche.kernel.doors import Importer

DIGEST = "ab" * 32


def told(call):
    with pytest.raises(Refused) as refused:
        parsed(call, "F491", "it cannot be read", DIGEST, hint="save it again")
    return refused.value.diagnostics[0]


def test_whatever_a_parser_raises_is_told_as_a_fault_of_the_file():
    found = told(lambda: zipfile.ZipFile("/dev/null"))
    assert (found.code, found.hint) == ("F491", "save it again")
    assert found.message == "it cannot be read: BadZipFile: File is not a zip file"
    assert "LookupError" in told(lambda: b"".decode("none-such", "x") or b"x".decode("hex")).message


def test_a_defect_in_a_handler_of_ours_stays_a_defect(monkeypatch):
    """The parser calls us: what we raise there is no fault of the file."""
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: {}[name]
    monkeypatch.setattr(_parsers, "_OURS", __name__)
    with pytest.raises(KeyError):
        parsed(lambda: parser.Parse("<a/>", True), "F491", "no", DIGEST)


def test_memory_and_what_the_caller_tells_itself_pass():
    for error in (MemoryError, ZeroDivisionError):

        def call(error=error):
            raise error

        with pytest.raises(error):
            parsed(call, "F491", "no", DIGEST, but=ZeroDivisionError)


def test_the_last_resort_is_for_parsers_alone():
    from html import unescape

    with pytest.raises(Refused, match="F491"):
        read_by_others(lambda: unescape(f"&#{'9' * 5000};"), DIGEST)
    with pytest.raises(KeyError):
        read_by_others(lambda: {}["a defect"], DIGEST)


def test_an_importer_that_a_parser_breaks_refuses(monkeypatch):
    def read(content, sha256):
        zipfile.ZipFile("/dev/null")

    broken = Importer(name="broken", title="Broken", accepts=lambda content, name: 90, read=read)
    monkeypatch.setattr(_detect, "importers", lambda: (broken,))
    with pytest.raises(Refused, match="F491"):
        _detect.read(b"anything", DIGEST)
