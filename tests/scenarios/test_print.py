"""What is printed: units always, exact bytes where rounding would contradict, GB and GiB never mixed (B1)."""

import html
import json
import re
from pathlib import Path

import pytest
from scenarios.story import (
    GIB,
    asked,
    device,
    files,
    found,
    judged,
    phase,
    record,
    visible,
    written,
)

from fiche.cli.compile import compile_fiche
from fiche.cli.reports import Asked
from fiche.cli.reports import files as report_files
from fiche.render.json import decision_bytes
from fiche.render.text import check_text

SAMPLES = Path(__file__).parents[2] / "samples"
NAMES = ("guide", "serving", "qlora", "two-cards", "one-change")


def compiled(path):
    return compile_fiche(path)


def terminal(made):
    return _plain(check_text(made.decision, width=300, colour=False))


def page(made):
    raw = report_files(made, Asked(formats=("html",)))["report.html"].decode()
    body = re.sub(r"<(script|style|template)\b.*?</\1>", " ", raw, flags=re.S)
    # Marks of a scale are bare numbers with the unit at its end: no amount of anything.
    body = re.sub(r"(<text[^>]*>)\d+(?=</text>)", r"\1", body)
    return _plain(html.unescape(re.sub(r"<[^>]+>", " ", body)))


def _plain(text):
    """One line, and one sort of blank."""
    return re.sub(r"\s+", " ", re.sub("[\u00a0\u2009\u202f]", " ", text))


def near(need=25_255_000_000, total=25_264_000_000):
    seen = record(phase(devices=[device(peak=need)]), devices=[visible(total=total)])
    return files(run_json=seen)


@pytest.mark.parametrize("show", [terminal, page])
def test_two_figures_that_would_print_alike_are_printed_in_bytes(tmp_path, show):
    """Law 2: 23.52 GiB and 23.53 GiB say little; in GB both are 25.26."""
    path = written(tmp_path, asked(), near())
    text = show(compiled(path))
    assert text.count("25 255 000 000 B") >= 2
    assert text.count("25 264 000 000 B") >= 2


@pytest.mark.parametrize("show", [terminal, page])
def test_one_byte_too_many_is_printed_as_such(tmp_path, show):
    path = written(tmp_path, asked(), near(25_264_000_001))
    text = show(compiled(path))
    assert "25 264 000 001 B" in text
    assert "25 264 000 000 B" in text


@pytest.mark.parametrize("show", [terminal, page])
def test_far_apart_they_are_rounded(tmp_path, show):
    text = show(compiled(written(tmp_path, asked(), files())))
    assert "20.49 GiB" in text
    assert "23.52 GiB" in text


def test_a_margin_that_fails_by_a_byte_does_not_print_as_held(tmp_path):
    """The verdict turns at a number of bytes, which the condition prints."""
    fiche = asked()
    fiche["margin"] = [{"id": "longer", "value": "1 GiB", "because": "prompts grew"}]
    need = 25_264_000_000 - GIB + 1
    told = judged(tmp_path, fiche, near(need))
    assert found(told)["verdict"] == "to_confirm"
    threshold = found(told)["conditions"][0]["threshold"]
    assert threshold == f"peak of the process's device use <= {25_264_000_000 - GIB} B"


@pytest.mark.parametrize("show", [terminal, page])
def test_a_case_that_no_must_asks_about_is_named_beside_the_answer(tmp_path, show):
    """D0 asks for the most demanding step: an answer for a smaller case is none for a larger one."""
    fiche = asked()
    huge = {"prompt_tokens": 50000, "new_tokens": 1000, "resident_sequences": 8}
    small = {"prompt_tokens": 5, "new_tokens": 5, "resident_sequences": 1, "concurrent_requests": 9}
    fiche["workload"]["cases"] += [
        {"id": "huge", "role": "long", **huge},
        {"id": "tiny", "role": "short", **small},
    ]
    fiche["requirements"][0]["cases"] = ["limit"]
    text = show(compiled(written(tmp_path, fiche, files())))
    assert "Not answered for huge: outside every must on memory" in text.replace(" :", ":")
    del fiche["requirements"][0]["cases"]
    assert "Not answered for" not in show(compiled(written(tmp_path, fiche, files())))


def test_a_gap_to_a_candidates_own_estimate_names_the_candidate():
    """D10, E6: `limit` alone would name the estimate of the unchanged load, another number."""
    text = page(compiled(SAMPLES / "one-change" / "fiche.yaml"))
    assert "four-at-once/limit , run-four/four-1.0.serve_loop" in text


# --- Every printed amount is an amount of the decision --------------------------------------------

AMOUNT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) (GiB|MiB|KiB|GB|MB)\b")
# What the report says of units: 24e9 bytes are 22.35 GiB (B1).
LEGEND = ("1 GB", "1 GiB", "24 GB", "22.35 GiB")
SCALE = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "GB": 10**9, "MB": 10**6}


def whole_numbers(value):
    """Every integer of a document, those in its sentences too."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        yield abs(value)
    elif isinstance(value, str):
        yield from (int(digits) for digits in re.findall(r"\d{4,}", value))
    else:
        inner = value.values() if isinstance(value, dict) else value
        for part in inner:
            yield from whole_numbers(part)


def texts(value):
    """Every sentence of a document: what people and programs wrote with units of their own."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


@pytest.mark.parametrize("name", NAMES)
def test_every_amount_is_one_of_the_decision_in_the_unit_it_says(name):
    """So that no GB stands for a GiB: 18.29 GB and 17.04 GiB are one number, 17.04 GB none."""
    made = compiled(SAMPLES / name / "fiche.yaml")
    document = json.loads(decision_bytes(made.decision))
    numbers = set(whole_numbers(document))
    said = " ".join(texts(document))
    for text in (terminal(made), page(made)):
        wrong = set()
        for digits, unit in AMOUNT.findall(text):
            step = 10 ** len(digits.partition(".")[2])
            fits = any(
                abs(number * step * 2 - 2 * float(digits) * step * SCALE[unit])
                <= SCALE[unit] * 1.001
                for number in numbers
            )
            quoted = f"{digits} {unit}" in said or f"{digits}{unit}" in said
            if not (fits or quoted or f"{digits} {unit}" in LEGEND):
                wrong.add(f"{digits} {unit}")
        assert not wrong


@pytest.mark.parametrize("name", NAMES)
def test_a_large_number_says_what_it_counts(name):
    """Bytes are written in full with their unit; only parameters have their word in front."""
    made = compiled(SAMPLES / name / "fiche.yaml")
    large = re.compile(r"(?<![\d.,:#-])\d{1,3}(?: \d{3}){2,}(?![\d.])(?P<unit> ?\w*)")
    for text in (terminal(made), page(made)):
        for seen in large.finditer(text):
            before, unit = text[max(0, seen.start() - 60) : seen.start()], seen["unit"].strip()
            named = before.endswith("parameters ")
            assert named or unit in ("B", "parameters", "to"), before + seen[0]
