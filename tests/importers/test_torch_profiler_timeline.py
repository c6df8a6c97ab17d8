"""Memory timelines: levels of tensors by category; the picture form holds no figure (evidence_formats 3)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiche.importers.torch_profiler_timeline import CATEGORIES, MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
T0 = 1752000000000100
ROWS = [
    [0, 40, 0, 0, 0, 0, 0, 0, 0],
    [0, 40, 80, 10, 8, 50, 20, 6, 5],
    [0, 40, 80, 10, 0, 0, 40, 0, 5],
]
EVENTS = [
    [-1, 1, 40, 0],
    [-1, 1, 80, 1],
    [T0 * 1000, 2, 50, 4],
    [T0 * 1000 + 5, 3, -40, 0],
    [T0 * 1000 + 5, 3, 40, 1],
    [T0 * 1000 + 9, 4, -50, 4],
]


def read(value):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return MEMBER.read(text, DIGEST)


def timeline(rows=ROWS):
    return [[T0 + place for place in range(len(rows))], rows]


def levels(reading):
    return {o.stat: (o.value.value, o.pointer.path) for o in reading.observations}


def test_the_peak_is_the_largest_row_and_the_last_row_is_what_stayed():
    reading = read(timeline())
    assert levels(reading) == {"peak": (219, "/1/1"), "current": (175, "/1/2")}
    assert {o.window for o in reading.observations} == {"trace"}
    assert reading.further["by_category_at_peak"] == dict(zip(CATEGORIES, ROWS[1][1:], strict=True))
    said = [text.partition(":")[0] for text in reading.warnings]
    assert said == ["sampled", "device_not_named", "attributed_only"]


def test_events_are_replayed_from_what_was_there_before():
    reading = read(EVENTS)
    assert levels(reading) == {"start": (120, "/2"), "peak": (170, "/2"), "current": (120, "/5")}
    assert reading.further["by_category_at_peak"]["ACTIVATION"] == 50
    assert reading.shape == "raw-events"


def test_between_the_two_halves_of_a_new_version_there_is_no_level():
    reading = read([[-1, 1, 40, 0], [T0, 3, -40, 0], [T0, 3, 40, 4]])
    assert levels(reading)["peak"][0] == levels(reading)["current"][0] == 40


@given(st.lists(st.lists(st.integers(0, 1 << 40), min_size=8, max_size=8), min_size=1))
def test_rows_and_events_agree(rows):
    held, events = [0] * 8, []
    for place, row in enumerate(rows):
        for category, level in enumerate(row):
            action = 2 if level >= held[category] else 4
            events.append([T0 + place, action, level - held[category], category])
        held = row
    one, other = read(timeline([[0, *row] for row in rows])), read(events)
    assert levels(one)["current"][0] == levels(other)["current"][0] == sum(rows[-1])
    assert levels(one)["peak"][0] == max(map(sum, rows)) <= levels(other)["peak"][0]


def test_the_picture_is_refused_by_name():
    page = b'<html>\n<head><meta charset="utf-8" /><title>GPU Memory Timeline HTML</title></head>\n<body>'
    assert MEMBER.accepts(page, "timeline.html") == 92
    with pytest.raises(Refused, match=r"F421 .*HTML"):
        read(page)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (timeline()[:1], "F429"),
        ([[T0], ROWS], "F429"),
        ([[], []], "F429"),
        (timeline([[0, 1, 2]]), "F429"),
        (timeline([[1, *ROWS[0][1:]]]), "F429"),
        (timeline([[0, "x", *ROWS[0][2:]]]), "F429"),
        (timeline([[0, -5, *ROWS[0][2:]]]), "F429"),
        ([[T0, 5, 1, 0]], "F429"),
        ([[T0, 2, 1, 8]], "F429"),
        ([[T0, 4, -1, 0]], "F429"),
        ({"times": []}, "F429"),
        (json.dumps(timeline()).encode()[:-4], "F428"),
    ],
)
def test_what_is_built_otherwise_is_refused(value, code):
    with pytest.raises(Refused, match=code):
        read(value)


@pytest.mark.parametrize(
    ("value", "score"),
    [(timeline(), 92), (timeline(ROWS * 4000), 92), (EVENTS, 92), ([[1, 2], [3]], 0), ({}, 0)],
)
def test_how_sure_it_is(value, score):
    assert MEMBER.accepts(json.dumps(value).encode(), "") == score


@pytest.mark.torch
def test_the_true_exports_are_read(tmp_path):
    import torch
    from torch.profiler import ProfilerActivity, profile

    model = torch.nn.Linear(64, 64)
    with profile(
        activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True, with_stack=True
    ) as profiled:
        model(torch.randn(8, 64)).sum().backward()
    found = []
    for name in ("t.json", "t.json.gz", "t.raw.json.gz"):
        with pytest.warns(FutureWarning):
            profiled.export_memory_timeline(str(tmp_path / name), device="cpu")
        content = (tmp_path / name).read_bytes()
        found.append(MEMBER.read(content, DIGEST))
    assert levels(found[0]) == levels(found[1])
    assert levels(found[0])["current"][0] == levels(found[2])["current"][0] > 0


@given(st.data())
def test_damage_never_breaks_the_reader(data):
    text = bytearray(json.dumps(data.draw(st.sampled_from([timeline(), EVENTS]))).encode())
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=4))
    try:
        reading = read(bytes(text))
    except Refused:
        return
    assert all(o.value.value >= 0 for o in reading.observations)
