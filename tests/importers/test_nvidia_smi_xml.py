"""`nvidia-smi -q -x`: the same blocks as XML, read without trust (evidence_formats 7, law 7)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.nvidia import xml
from importers.readings import facts, holds_together, keys, reader, told, totals

from fiche.importers.nvidia_smi_xml import MEMBER
from fiche.kernel.diagnostic import Refused

read = reader(MEMBER)


def test_memory_of_the_device_and_of_its_slice():
    reading = read(xml())
    of_device = [s for s in reading.observations if s.scope == "device" and "mig" not in s.marks]
    assert {seen.counter: seen.value.text for seen in of_device} == {
        "memory.used": "38126 MiB",
        "memory.total": "46068 MiB",
        "memory.free": "7350 MiB",
        "memory.reserved": "592 MiB",
    }
    slices = [s for s in reading.observations if "mig" in s.marks]
    assert slices[0].marks["mig"] == {"gi": 3, "ci": 0, "dev": 0}
    assert totals(reading) == [(0, "46068 MiB", "NVIDIA L40S", None)]
    assert {seen.marks["bus_id"] for seen in of_device} == {"00000000:17:00.0"}


def test_processes_facts_activity():
    reading = read(xml())
    processes = [seen for seen in reading.observations if seen.scope == "process"]
    assert [(p.marks["pid"], p.marks["process"], p.value.text) for p in processes] == [
        (31877, "python & co", "38110 MiB"),
        (31900, "other", "N/A"),
    ]
    told_facts = facts(reading)
    assert (told_facts["driver"], told_facts["ecc"]) == ("550.54.15", "on")
    assert "memory_util" in [aside.text for aside in reading.not_observed]
    assert reading.observations[0].pointer.line == 37


def test_no_processes_at_all():
    begin, end = xml().index("<processes>"), xml().index("</processes>")
    reading = read(xml("3 MiB")[: begin - 4] + "<processes>\n" + xml()[end:])
    assert totals(reading)[0][3] == (0, 4 << 20)


def test_several_documents_are_a_series():
    loop = xml("100 MiB") + xml("900 MiB", "Thu Jul 10 08:20:33 2025")
    reading = read(loop)
    assert told(reading)[0] == ("memory.used", "sampled_max", None, "900 MiB")
    assert reading.further["sample_period_s"] == 2
    cut = read(loop + xml()[:900])
    assert told(cut)[0] == ("memory.used", "sampled_max", None, "900 MiB")
    assert "truncated" in keys(cut)


def test_words_of_a_shell_around_it():
    assert told(read("$ nvidia-smi -q -x\n" + xml() + "$ exit\n")) == told(read(xml()))
    assert told(read(xml().replace("\n", "\r\n"))) == told(read(xml()))


def test_broken_xml_is_read_in_no_part():
    with pytest.raises(Refused, match="F441"):
        read(xml()[:-40])
    with pytest.raises(Refused, match="F441"):
        read(xml().replace("</fb_memory_usage>", "", 1))


@pytest.mark.parametrize("name", ["utf-7", "idna", "hex", "rot13", "none-such"])
def test_an_encoding_that_no_parser_has_is_refused(name):
    text = xml()
    text = text.encode() if isinstance(text, str) else text
    head = text[: text.index(b"?>")]
    with pytest.raises(Refused, match="F441"):
        read(text.replace(head, f'<?xml version="1.0" encoding="{name}"'.encode(), 1).decode())


DECLARED = (
    '<?xml version="1.0"?>\n<!DOCTYPE nvidia_smi_log [\n<!ENTITY a "aaaa">\n]>\n<nvidia_smi_log>'
)


@pytest.mark.parametrize(
    "text",
    [
        DECLARED + "<timestamp>&a;&a;</timestamp></nvidia_smi_log>",
        DECLARED.replace('"aaaa"', 'SYSTEM "file:///etc/passwd"') + "&a;</nvidia_smi_log>",
        '<?xml version="1.0"?><nvidia_smi_log>' + "<a>" * 40 + "</a>" * 40 + "</nvidia_smi_log>",
        '<?xml version="1.0"?><nvidia_smi_log>' + "<a>" * 200_000,
        '<?xml version="1.0"?><nvidia_smi_log><' + "a" * 5_000 + "/></nvidia_smi_log>",
    ],
    ids=["entity", "file", "nested", "nested without end", "a name without end"],
)
def test_what_is_made_to_exhaust_is_refused(text):
    with pytest.raises(Refused, match="F442"):
        read(text)


def test_nothing_of_memory_in_it():
    with pytest.raises(Refused, match="F424"):
        read(
            '<?xml version="1.0"?><nvidia_smi_log><gpu id="1"><uuid>x</uuid></gpu></nvidia_smi_log>'
        )


def test_accepts():
    assert MEMBER.accepts(xml().encode(), "") == 94
    assert MEMBER.accepts(b"<html></html>", "") == 0


@given(st.integers(0, len(xml()) - 1), st.text(max_size=6), st.integers(0, 30))
def test_mutations_never_break_it(at, put, cut):
    text = xml()
    holds_together(read, text[:at] + put + text[at + cut :])
