"""Lines of logs as people keep them: prefixes, colours, wraps and escapes gone, numbers kept."""

import pytest

from fiche.importers._lines import NUMBER, lines, spaced

GRAMMAR = spaced(r"Loading model weights took (?P<figure>" + NUMBER + r") GB")
MESSAGE = "Loading model weights took 12.5523 GB"


def only(text):
    (line,) = lines(text.encode(), (b"Loading",))
    return line


@pytest.mark.parametrize(
    "text",
    [
        MESSAGE,
        f"INFO 01-14 10:02:26 model_runner.py:1099] {MESSAGE}",
        f"svc-1  | \x1b[32mINFO\x1b[0m {MESSAGE}\r",
        f" 45%|####  | 3/7 [00:01<00:02, 2.1it/s]\r{MESSAGE}",
        '{"log":"one\\n' + MESSAGE + '\\n","stream":"stderr"}',
        "Loading  model\tweights took\x1b[1m 12.5523\x1b[0m GB",
    ],
)
def test_the_message_is_found_behind_what_stands_in_front(text):
    line = only(text)
    assert line.number == 1
    assert line.search(GRAMMAR)["figure"] == "12.5523"


def test_lines_are_counted_by_line_feeds():
    found = list(lines(f"a\r\nb\rc\n\n{MESSAGE}\n{MESSAGE}".encode(), (b"weights", b"Loading")))
    assert [line.number for line in found] == [4, 5]


def test_a_message_that_a_terminal_wrapped_is_joined():
    front = "(VllmWorkerProcess pid=5177) INFO 01-14 10:02:26 model_runner.py:1099] "
    line = only(f"{front}Loading model weights took 12.55\n23 GB\n")
    assert line.search(GRAMMAR)["figure"] == "12.5523"


def test_lines_of_another_rank_are_not_joined():
    text = f"[rank0]: {'x' * 60} Loading model weights took 12.\n[rank1]: 5523 GB\n"
    assert only(text).search(GRAMMAR) is None


def test_a_whole_line_is_not_joined_with_the_next():
    text = f"{'x' * 60} {MESSAGE[:-3]}\n other words\n"
    assert only(text).search(GRAMMAR) is None


@pytest.mark.parametrize(
    "bar", ["\x1b[36msvc-1  |\x1b[0m ", "\x1b[36msvc-1  | \x1b[0m", "svc-1  | "]
)
def test_a_container_in_colour_is_no_part_of_the_line(bar):
    assert only(f"{bar}{MESSAGE}\n").text == MESSAGE


def test_the_speaker_is_who_the_prefix_names():
    assert only(f"[rank3]: {MESSAGE}").speaker.rank == 3
    assert only(f"(Worker_TP1 pid=391) INFO {MESSAGE}").speaker.rank == "TP1"


def test_the_pointer_shows_the_line():
    pointer = only(f"[rank3]: \x1b[31m{MESSAGE}").pointer("ab" * 32)
    assert (pointer.line, pointer.text) == (1, f"[rank3]: {MESSAGE}")


def test_what_begins_on_the_next_line_is_not_this_lines():
    first, second = lines(
        (f"Loading of another kind, of a good length of words\n{MESSAGE}\n").encode(), (b"Loading",)
    )
    assert first.search(GRAMMAR) is None
    assert second.search(GRAMMAR)["figure"] == "12.5523"


def test_the_line_before_and_how_far_a_wrapped_message_reaches():
    text = b"first\r\nINFO Loading model wei\r\nghts took 12.5523 GB\r\nlast\r\n"
    (line,) = lines(text, (b"ghts took",))
    before = line.before()
    assert before is not None
    assert (before.number, before.text) == (2, "Loading model wei")
    assert before.joined.startswith(MESSAGE)
    assert text[: before.reach(len(MESSAGE))].endswith(b"GB")
    first = before.before()
    assert first is not None
    assert first.before() is None
