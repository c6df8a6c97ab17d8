"""Attested facts: typed by a person, tied to the line of the file that says so (D3, C13)."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.documents import docx, locked, pdf
from loading import fiche_of, refusals

from fiche.importers.document import MEMBER
from fiche.kernel.origin import Declared
from fiche.kernel.unit import BYTE, money

QUOTE = "Offer 17 — 3 novembre\r\nPrix du lot : 47,14 USD hors taxe\nMémoire 46068 MiB\nMémoire 2\n"


def attested(line, content=QUOTE, **parts):
    (piece,) = fiche_of(section(line), files={"q.txt": content}, **parts).pieces
    return piece.attested


def section(line):
    return f"pieces:\n  - id: q\n    file: q.txt\n    kind: quote\n    attests:\n      - {line}\n"


def test_a_quote_leads_to_the_line_that_says_it():
    (item,) = attested(
        '{fact: price, amount: 47.14 USD, per: 3 days, covers: lot, quote: "47,14 USD"}'
    )
    assert (item.pointer.line, item.pointer.text) == (2, "47,14 USD")
    amount = item.terms["amount"]
    assert (amount.low, amount.unit) == (Fraction("47.14"), money("USD"))
    assert amount.id == "q/attested.1.amount"
    assert amount.origin == Declared(address=item.pointer, by="q", printed="47,14 USD")
    assert item.terms["per"].low == 72
    assert (item.words["covers"].value, item.words["covers"].printed) == ("lot", True)
    assert str(item.span) == "fiche.yaml:10:16"


def test_without_a_quote_it_rests_on_a_persons_word():
    (item,) = attested("{fact: tax, basis: excluded, rate: 20 %}")
    assert (item.pointer, item.by) == (None, "A. Martin")
    assert (item.terms["rate"].low, item.terms["rate"].origin.by) == (Fraction(1, 5), "A. Martin")
    assert (item.words["basis"].by, item.words["basis"].printed) == ("A. Martin", False)
    (item,) = attested("{fact: tax, basis: excluded, by: B. Silva}")
    assert item.by == "B. Silva"


@pytest.mark.parametrize(
    ("value", "words", "held"),
    [
        ("fact: quality, metric: m, dataset: d, value: 0.645", "accuracy 64.5 %", True),
        ("fact: quality, metric: m, dataset: d, value: 64.5 %", "accuracy 0.6450", True),
        ("fact: quality, metric: m, dataset: d, value: 0.99", "accuracy 64.5 %", False),
        ("fact: price, amount: 1099 USD", "1 099,00 USD", True),
        ("fact: price, amount: 1.00 USD", "Quote 17", False),
        ("fact: host_memory, value: 128 GiB", "one hundred and twenty-eight GiB", False),
        ("fact: host_memory, value: 64 GiB", "64GB of memory", True),
        ("fact: delivery, earliest: 2026-12-01", "on the first of December", True),
    ],
)
def test_words_that_do_not_hold_the_value_leave_it_to_a_person(value, words, held):
    """D3: what the document prints is firm; the rest somebody answers for."""
    (item,) = attested(f'{{{value}, quote: "{words}"}}', content=words)
    assert (item.pointer is not None) is held
    assert item.by == "A. Martin"


@pytest.mark.parametrize(
    ("value", "words", "held"),
    [
        (
            "fact: software, component: driver, version: 610.62",
            "NVIDIA driver 610.62 installed",
            True,
        ),
        ("fact: software, component: driver, version: 610.62", "driver 550.54.15 installed", False),
        ("fact: software, component: driver, version: 550.54", "driver 550.54.15 installed", False),
        ("fact: software, component: torch, version: 2.1", "torch 2.10", False),
        ("fact: software, component: torch, version: 2.11", "torch v2.11+cu128", True),
        ("fact: compute_capability, value: 8.9", "Compute capability: 8.9", True),
        ("fact: compute_capability, value: 8.9", "Compute capability: 18.9", False),
        ("fact: compute_capability, value: gfx942", "LLVM target GFX942", True),
        ("fact: interconnect, link: NVLink", "NVLINK bridge", True),
        ("fact: interconnect, link: NVLink", "PCIe 4.0 x16", False),
        ("fact: service, service: managed PostgreSQL", "Managed  PostgreSQL included", True),
        ("fact: service, service: managed PostgreSQL", "managed Redis included", False),
        ("fact: ecc, state: on", "ECC Mode: Enabled", True),
        ("fact: disk, value: 2 TB", "2 TB NVMe", True),
        ("fact: disk, value: 4 TB", "2 TB NVMe", False),
    ],
)
def test_words_that_do_not_hold_the_name_leave_it_to_a_person(value, words, held):
    """D3: a line about another version, link or service attests nothing of this one."""
    (item,) = attested(f'{{{value}, quote: "{words}"}}', content=f"{words}\n")
    assert (item.pointer is not None) is held
    assert item.by == "A. Martin"


def test_a_quote_must_stand_in_the_file():
    assert refusals(
        section('{fact: document, title: t, quote: "47.14 USD"}'), files={"q.txt": QUOTE}
    ) == [("F451", 10, 43)]


def test_words_on_two_lines_need_the_line():
    line = "{fact: document, title: t, quote: Mémoire"
    assert refusals(section(line + "}"), files={"q.txt": QUOTE}) == [("F452", 10, 43)]
    (item,) = attested(line + ", line: 4}")
    assert item.pointer.line == 4
    assert refusals(section(line + ", line: 2}"), files={"q.txt": QUOTE}) == [("F451", 10, 43)]


@pytest.mark.parametrize(
    ("rounding", "low", "high"),
    [
        ("exact", 46068 * 2**20, 46068 * 2**20),
        ("nearest", 46068 * 2**20 - 2**19, 46068 * 2**20 + 2**19),
        ("floor", 46068 * 2**20, 46069 * 2**20 - 1),
    ],
)
def test_a_printed_capacity_is_an_interval_by_its_rounding(rounding, low, high):
    """Law 2: a rounded measurement is an interval."""
    line = f"{{fact: capacity, counter: nvidia_smi_total, value: 46068 MiB, rounding: {rounding}, device: 0}}"
    (item,) = attested(line)
    assert (item.terms["value"].low, item.terms["value"].high) == (low, high)
    assert (item.words["counter"].value, item.words["device"].value) == ("nvidia_smi_total", "0")


def test_decimals_count_in_a_rounding():
    line = "{fact: capacity, counter: oom_total_capacity, value: 23.64 GiB, rounding: nearest}"
    (item,) = attested(line)
    half = Fraction(2**30, 200)
    exact = Fraction("23.64") * 2**30
    assert (item.terms["value"].low, item.terms["value"].high) == (
        -((half - exact) // 1),
        (exact + half) // 1,
    )
    assert item.terms["value"].unit == BYTE


def test_each_fact_has_its_terms_and_words():
    lines = {
        "other_users, value: none": ([], ["value"]),
        "validity, from: 2026-11-01, until: 2026-12-01": ([], ["from", "until"]),
        "delivery, earliest: 2026-12-10": ([], ["earliest"]),
        "extension, terms: hours": ([], ["terms"]),
        "host_memory, value: 128 GiB": (["value"], []),
        "interconnect, link: NVLink, value: 900 GB/s": (["value"], ["link"]),
        "software, component: torch, version: 2.10": ([], ["component", "version"]),
        "precision, format: fp8, answer: refused": ([], ["format", "answer"]),
        "quality, metric: m, dataset: d, value: 0.64": (["value"], ["metric", "dataset"]),
        "power, value: 300 W, term: TGP": (["value"], ["term"]),
    }
    for line, (terms, words) in lines.items():
        (item,) = attested(f"{{fact: {line}}}")
        assert (list(item.terms), list(item.words)) == (terms, words)


@given(st.lists(st.text("ab \n", max_size=8), max_size=4), st.text("ab", min_size=1, max_size=3))
def test_the_line_found_holds_the_words(parts, words):
    content = "".join(parts)
    lines = [n for n, line in enumerate(content.split("\n"), start=1) if words in line]
    found = refusals(
        section(f'{{fact: document, title: t, quote: "{words}"}}'), files={"q.txt": content}
    )
    assert [code for code, _, _ in found] == (
        [] if len(lines) == 1 else ["F452"] if lines else ["F451"]
    )
    if len(lines) == 1:
        (item,) = attested(f'{{fact: document, title: t, quote: "{words}"}}', content)
        assert item.pointer.line == lines[0]


# --- Documents in a container --------------------------------------------------------------------

PRICE = '{fact: price, amount: 109.99 USD, quote: "109.99 USD per lot"'
PDF = pdf("Quote 2291\n109.99 USD\nper lot of 7 days", "Total 109.99 USD", "109.99 USD per lot")


def cited(line, content=PDF):
    (piece,) = fiche_of(section(line), files={"q.txt": content}).pieces
    return piece


def test_words_of_a_pdf_lead_to_their_page_however_they_are_laid_out():
    """D3: the document prints it; the line break of its layout is no difference."""
    piece = cited(f"{PRICE}, page: 1}}")
    (item,) = piece.attested
    assert (item.pointer.path, item.pointer.line) == ("page 1", None)
    assert item.pointer.text == "109.99 USD per lot"
    assert item.terms["amount"].origin == Declared(
        address=item.pointer, by="q", printed="109.99 USD per lot"
    )
    assert (piece.kind, piece.reading.shape) == ("quote", "pdf")
    assert piece.reading.further == {"pages": 3, "pages_without_text": 0}
    assert piece.reading.passages == ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (f"{PRICE}}}", "F452"),
        (f"{PRICE}, page: 2}}", "F451"),
        (f"{PRICE}, page: 4}}", "F495"),
        (f"{PRICE}, line: 1, page: 1}}", "F495"),
        ('{fact: price, amount: 9.99 USD, quote: "9.99 USD per lot", page: 1}', "F451"),
    ],
)
def test_words_that_are_not_there_or_twice_are_refused(line, code):
    assert [found[0] for found in refusals(section(line), files={"q.txt": PDF})] == [code]


def test_a_text_has_lines_and_no_pages():
    line = '{fact: price, amount: 47.14 USD, quote: "47,14 USD", page: 1}'
    assert [found[0] for found in refusals(section(line), files={"q.txt": QUOTE})] == ["F495"]


def test_a_scan_leaves_its_facts_to_a_person_and_says_so():
    piece = cited(f"{PRICE}}}", content=pdf(None))
    (item,) = piece.attested
    assert (item.pointer, item.by) == (None, "A. Martin")
    assert piece.reading.warnings[0].startswith("no_text_layer: ")
    partly = cited(f"{PRICE}, page: 2}}", content=pdf("Quote 2291", None))
    assert partly.attested[0].pointer is None
    told = refusals(section(f"{PRICE}}}"), files={"q.txt": pdf("Quote 2291", None)})
    assert [found[0] for found in told] == ["F451"], (
        "a page with text may hold it: say which is meant"
    )


def test_nobody_vouches_for_a_scan():
    head = "fiche: 1\ntitle: A test\ndate: 2026-11-29\n"
    told = refusals(section(f"{PRICE}}}"), files={"q.txt": pdf(None)}, head=head)
    assert [found[0] for found in told] == ["F316"]


@pytest.mark.parametrize(("content", "code"), [(locked(PDF), "F490"), (PDF[:80], "F491")])
def test_a_document_that_cannot_be_read_is_refused_at_its_file(content, code):
    assert [found[:2] for found in refusals(section(f"{PRICE}}}"), files={"q.txt": content})] == [
        (code, 7)
    ]


def test_a_document_that_nobody_quotes_is_kept_as_it_is():
    """Law 6: bytes as received; its words are laid out only to look some up."""
    piece = cited("{fact: document, title: Terms}", content=locked(PDF))
    assert (piece.reading.shape, piece.reading.further) == ("document", {})


def test_a_word_file_by_paragraph():
    content = docx("Quote 2291", "109.|99 USD per lot")
    (item,) = cited(f"{PRICE}}}", content=content).attested
    assert item.pointer.path == "paragraph 2"
    told = refusals(section(f"{PRICE}, page: 1}}"), files={"q.txt": content})
    assert [found[0] for found in told] == ["F495"]


def test_a_document_without_a_kind_is_known_by_its_bytes_and_keeps_no_words():
    text = section(f"{PRICE}, page: 1}}").replace("    kind: quote\n", "")
    (piece,) = fiche_of(text, files={"q.txt": PDF}, importers=[MEMBER]).pieces
    assert (piece.kind, piece.attested[0].pointer.path) == ("document", "page 1")
    assert piece.reading.further == {"pages": 3, "pages_without_text": 0}
    assert piece.reading.passages == ()


@pytest.mark.parametrize(
    ("fact", "by"),
    [
        ('{fact: price, amount: 612.00 EUR, per: 730 h, quote: "612.00 EUR for 730 hours"}', ""),
        (
            '{fact: price, amount: 612.00 EUR, per: 7300 h, quote: "612.00 EUR for 730 hours"}',
            "author",
        ),
        ('{fact: price, amount: 612.00 EUR, per: 7300 h, quote: "612.00 EUR"}', ""),
        ('{fact: validity, until: 2026-12-20, quote: "until 20 December 2026"}', ""),
        ('{fact: validity, until: 2030-12-20, quote: "until 20 December 2026"}', "author"),
        ('{fact: validity, until: 2026-12-31, quote: "until 20 December 2026"}', "author"),
    ],
)
def test_words_of_another_day_or_time_are_no_quote_of_this_one(fact, by):
    """What a person types beside a quote that prints something else rests on that person alone (D3)."""
    (item,) = attested(fact, content="612.00 EUR for 730 hours, until 20 December 2026\n")
    assert (item.pointer is None) == bool(by)
