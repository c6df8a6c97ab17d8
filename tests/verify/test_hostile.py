"""Files that were made to do harm are refused with a code, in bounded time and memory, and write nothing."""

import io
import json
import os
import re
import zlib
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, String
from verify.sheets import MAKER, faults, refusal, report

from fiche.kernel.diagnostic import Refused
from fiche.render.canonical import canonical
from fiche.verify import bounds
from fiche.verify.bounds import bounded, content_of, inflated
from fiche.verify.container import read_json
from fiche.verify.extracted import extracted_files
from fiche.verify.html_read import read_html
from fiche.verify.manifest import check_name
from fiche.verify.pdf_read import read_pdf
from fiche.verify.sheaf import beside, sheaf_of
from fiche.verify.verified import files_looked_at

GUIDE = report("guide", "html")


def code_of(call):
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.diagnostics[0].code


def refused_or(call):
    """What comes of it, or the code by which it is refused."""
    try:
        return call()
    except Refused as refused:
        return refused.diagnostics[0].code


def pdf_with(change):
    """A small PDF with one attached decision.json, after a change."""
    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.attachments["decision.json"] = b"{}"
    change(pdf)
    out = io.BytesIO()
    pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.disable, compress_streams=False)
    return out.getvalue()


def names(pdf):
    return pdf.Root.Names.EmbeddedFiles


def test_what_is_no_report_is_told_as_such():
    assert refusal(b"") == "F900"
    assert refusal(b"hello") == "F900"
    assert refusal(b"<!DOCTYPE html><p>hello") == "F900"
    assert refusal(b"\xff\xfe<\x00") == "F901"
    empty = pikepdf.new()
    empty.add_blank_page()
    out = io.BytesIO()
    empty.save(out)
    assert refusal(out.getvalue()) == "F900"


def test_an_encrypted_pdf_is_refused():
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf_with(lambda pdf: None))) as pdf:
        pdf.save(out, encryption=pikepdf.Encryption(owner="a", user="b"))
    assert code_of(lambda: read_pdf(out.getvalue())) == "F902"


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.99])
def test_a_pdf_that_ends_early_is_refused_or_found_out(part):
    whole = pdf_with(lambda pdf: None)
    cut = whole[: int(len(whole) * part)]
    assert refused_or(lambda: bool(read_pdf(cut).trailing)) in (True, "F900", "F901")


def bomb(length):
    return zlib.compress(bytes(length), 9)


def test_a_stream_that_unpacks_without_an_end_is_stopped():
    assert code_of(lambda: inflated(bomb(2**20), 2**10)) == "F903"
    assert inflated(bomb(2**10), 2**10) == bytes(2**10)
    assert code_of(lambda: inflated(bomb(2**10)[:-6], 2**10)) == "F901"
    assert code_of(lambda: inflated(bomb(2**10) + b"x", 2**10)) == "F901"


def test_bombs_in_a_pdf_are_refused(monkeypatch):
    monkeypatch.setattr("fiche.verify.pdf_read.MOST_OF_ONE", 2**16)
    monkeypatch.setattr("fiche.verify.pdf_objects.MOST_DRAWN", 2**16)
    packed = bomb(2**20)

    def in_a_file(pdf):
        stream = pikepdf.Stream(pdf, b"")
        stream.write(packed, filter=Name.FlateDecode)
        names(pdf).Names[1].EF = Dictionary(F=pdf.make_indirect(stream))

    def in_metadata(pdf):
        stream = pikepdf.Stream(pdf, b"")
        stream.write(packed, filter=Name.FlateDecode)
        pdf.Root.Metadata = pdf.make_indirect(stream)

    for change in (in_a_file, in_metadata):
        content = raw(change)
        assert code_of(lambda content=content: read_pdf(content)) == "F903"


def raw(change):
    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.attachments["decision.json"] = b"{}"
    change(pdf)
    out = io.BytesIO()
    none = pikepdf.StreamDecodeLevel.none
    pdf.save(out, stream_decode_level=none, compress_streams=False, fix_metadata_version=False)
    return out.getvalue()


def test_a_list_of_files_that_leads_in_a_circle_is_refused():
    def circle(pdf):
        tree = pdf.make_indirect(Dictionary())
        tree.Kids = Array([tree])
        pdf.Root.Names.EmbeddedFiles = tree

    assert code_of(lambda: read_pdf(pdf_with(circle))) == "F901"


def test_a_hundred_thousand_files_are_refused():
    def many(pdf):
        spec = names(pdf).Names[1]
        listed = [x for at in range(100_000) for x in (String(f"{at:06}"), spec)]
        pdf.Root.Names.EmbeddedFiles = pdf.make_indirect(Dictionary(Names=Array(listed)))

    assert code_of(lambda: read_pdf(pdf_with(many))) == "F903"


def test_more_pages_than_a_report_has_are_refused(monkeypatch):
    monkeypatch.setattr("fiche.verify.pdf_read.MOST_PAGES", 3)
    content = pdf_with(lambda pdf: [pdf.add_blank_page() for _ in range(4)])
    assert code_of(lambda: read_pdf(content)) == "F903"


def test_cross_references_in_a_circle_end():
    """The last revision names itself as the one before."""
    whole = pdf_with(lambda pdf: None)
    start = int(re.findall(rb"startxref\s+(\d+)", whole)[-1])
    looped = whole.replace(b"trailer <<", b"trailer << /Prev %d" % start, 1)
    assert looped != whole
    found = refused_or(lambda: bool(read_pdf(looped).trailing))
    assert found in (True, "F900", "F901", "F903")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_bytes_there_are_nothing_but_a_refusal_comes_of_it(data):
    whole = pdf_with(lambda pdf: None)
    at = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(at, min(len(whole), at + 200)))
    content = whole[:at] + data.draw(st.binary(max_size=40)) + whole[end:]

    def read():
        with bounded(len(content)):
            return bool(read_pdf(content))

    assert refused_or(read) in (True, "F900", "F901", "F902", "F903")


def test_time_is_bounded(monkeypatch):
    monkeypatch.setattr(bounds, "SECONDS", 0.05)

    def forever():
        with bounded(0):
            while True:
                pass

    assert code_of(forever) == "F903"


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(bounds, "BESIDE", 2**28)

    def much():
        with bounded(0):
            bytearray(2**31)

    assert code_of(much) == "F903"
    assert len(bytearray(2**29)) == 2**29


def test_depth_is_bounded():
    assert code_of(lambda: read_json(b"[" * 100_000)) == "F903"

    def deep():
        def again():
            again()

        with bounded(0):
            again()

    assert code_of(deep) == "F903"


@pytest.mark.parametrize("text", [b"{}x", b"[]", b'{"a":1,"a":2}', b'{"b":1,"a":2}', b'{"a": 1}'])
def test_json_that_fiche_would_not_write_is_none(text):
    with pytest.raises(ValueError, match=r"object|canonical|Extra data"):
        read_json(text)


# --- Names ----------------------------------------------------------------------------------------

UNSAFE = (
    *("../x", "a/../../x", "/etc/passwd", "C:/x", "a\\b", "a\x00b", "a\nb", "", "fiche:../x"),
    "fiche:/x",
)


@pytest.mark.parametrize("name", UNSAFE)
def test_a_name_that_leads_out_is_refused(name):
    assert code_of(lambda: check_name(name)) == "F904"
    assert refusal(renamed(GUIDE, name)) == "F904"


def renamed(page, name, other="fiche.yaml"):
    """The page with another name of its fiche in the manifest, and a list that agrees with that."""
    from verify.test_verified_html import with_file

    def relisted(content):
        document = json.loads(content)
        for entry in document["files"]:
            if entry["name"] == other:
                entry["file"] = name
        return canonical(document)

    return with_file(page, "manifest.json", relisted)


@given(st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_no_name_leads_anywhere_else(name):
    try:
        check_name(name)
    except Refused:
        return
    folder = Path("/somewhere/deep")
    there = Path(os.path.normpath(folder / name.removeprefix("fiche:")))
    assert there.is_relative_to(folder)
    assert there != folder or name.removeprefix("fiche:").strip("./") == ""


def test_two_names_that_are_one_elsewhere_are_not_put_back():
    page = renamed(GUIDE, "DECISION/x")
    assert extracted_files(read_html(page))["DECISION/x"] == read_html(GUIDE).file("fiche.yaml")
    page = report("serving", "html")
    page = renamed(page, "Evidence/a", "evidence_quote-northlab-2291.txt")
    assert code_of(lambda: extracted_files(read_html(page))) == "F904"


@pytest.mark.parametrize("name", ["evidence//run-limit.json", "./evidence/./run-limit.json"])
def test_a_name_that_is_written_another_way_takes_no_other_ones_place(name):
    page = renamed(report("serving", "html"), name, "evidence_quote-northlab-2291.txt")
    assert code_of(lambda: extracted_files(read_html(page))) == "F904"


def test_base64_that_is_none_is_told():
    at = GUIDE.index(b";base64,") + 8
    assert faults(GUIDE[:at] + b"A" + GUIDE[at:])


# --- The disk -------------------------------------------------------------------------------------


def test_a_gigabyte_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "report.html"
    with path.open("wb") as stream:
        stream.truncate(2**30)
    assert code_of(lambda: content_of(path)) == "F903"


def test_devices_pipes_and_folders_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path, tmp_path / "none"):
        assert code_of(lambda path=path: content_of(path)) == "F901"


def test_a_folder_is_listed_without_following_anything(tmp_path):
    (tmp_path / "report.html").write_bytes(GUIDE)
    (tmp_path / "attachments").mkdir()
    (tmp_path / "attachments" / "passwd").symlink_to("/etc/passwd")
    (tmp_path / "tables").symlink_to("/etc")
    os.mkfifo(tmp_path / "report.md")
    found = sheaf_of(tmp_path)
    assert sorted(found.files) == ["report.html"]
    assert found.strange == ("attachments/passwd", "report.md", "tables")


def test_a_folder_too_full_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("fiche.verify.sheaf.MOST_FILES", 10)
    for at in range(11):
        (tmp_path / f"{at}").touch()
    assert code_of(lambda: sheaf_of(tmp_path)) == "F903"
    assert code_of(lambda: sheaf_of(tmp_path / "0")) == "F901"


# --- Long lists -----------------------------------------------------------------------------------


def test_a_list_of_a_hundred_thousand_names_is_compared_once_through(tmp_path):
    """It took minutes: every name was looked for among all of them."""
    page = read_html(GUIDE)
    one = next(each for each in page.held if each.name == "fiche.yaml")
    document = read_json(page.file("manifest.json"))
    entry = next(each for each in document["files"] if each["name"] == one.name)
    document["files"] += [{**entry, "name": f"n{n}", "file": f"f{n}"} for n in range(100_000)]
    document["files"] += [entry] * 1000
    files = {each.name: each.content for each in page.held}
    files["manifest.json"] = canonical(document)
    (tmp_path / "attachments").mkdir()
    for name, content in files.items():
        (tmp_path / "attachments" / name).write_bytes(content)
    told = verified_in(tmp_path)
    assert "fiche.yaml is listed twice" in told
    assert sum(" is listed and not attached" in text for text in told) == 100_000


def verified_in(folder):
    looked = files_looked_at(beside(sheaf_of(folder)), MAKER)
    return [point.text for step in looked.steps for point in step.faults]


def test_files_that_lie_in_a_folder_are_read_within_bounds(tmp_path, monkeypatch):
    (tmp_path / "attachments").mkdir()
    (tmp_path / "attachments" / "manifest.json").write_bytes(b"{}")
    sizes = []
    real = bounds.bounded

    def noted(num_bytes):
        sizes.append(num_bytes)
        return real(num_bytes)

    monkeypatch.setattr("fiche.verify.verified.bounded", noted)
    assert verified_in(tmp_path)
    assert sizes[0] == 2
