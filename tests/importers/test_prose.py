"""Messages that people name in prose are set aside; those that they paste are failures (C11)."""

import json

import pytest
from importers.messages import CLASS, sentence

from fiche.importers._detect import read as detected
from fiche.importers.torch_oom import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
SHORT = "CUDA out of memory. Tried to allocate 2.00 GiB"


def read(text):
    return MEMBER.read(text.encode(), DIGEST)


NAMED = {
    "a span in a sentence": f"# Help\nIf you see `{SHORT}. GPU 0 has a total capacity of 79.25 GiB of which "
    "1.10 GiB is free.` then lower batch size.\n",
    "a sentence without a span": f"When you get torch.OutOfMemoryError: {SHORT}, restart the server.\n",
    "a bullet": f"# Help\n- `{CLASS}{SHORT}`: lower the batch size\n",
    "a bullet without a span": f"# Help\n\n* {SHORT}: reduce the context length\n",
    "a table": f"## Errors\n| message | what to do |\n|---|---|\n| `{SHORT}` | use a smaller model |\n",
    "a quoted message": f'If you see "{SHORT}" then wait\n',
    "errors such as": f"Errors such as {SHORT} mean that the card is full.\n",
    "the line above": f"If you see this:\n\n`{SHORT}`\n",
}


@pytest.mark.parametrize("name", NAMED)
def test_what_documentation_names_is_set_aside(name):
    reading = read(NAMED[name])
    assert (reading.failures, reading.runs, reading.shape) == ((), (), "named-only")
    (aside,) = reading.not_observed
    assert "documentation" in aside.reason
    assert "2.00 GiB" in aside.text
    assert aside.pointer.line == NAMED[name].split(SHORT)[0].count("\n") + 1


def test_a_file_that_only_names_it_is_read_as_such():
    reading = detected(NAMED["a span in a sentence"].encode(), DIGEST, "help.md")
    assert (reading.kind, reading.failures) == ("torch_oom", ())
    with pytest.raises(Refused, match="F424"):
        read("If you see CUDA error: out of memory, wait\n")


HAPPENED = {
    "a fenced block": f"# Bug\n\n```shell\n{CLASS}{sentence()}\n```\n",
    "a fenced block with advice in it": f"# Bug\n\n~~~\nif you see this {sentence()}\n~~~\n",
    "a span of its own": f"# Bug\nI get the following error:\n\n`{CLASS}{sentence()}`\n",
    "what somebody got": f"With bs=2 I got `{sentence()}` after ten steps.\n",
    "a line of a log": f"2026-01-01 00:00:01 ERROR {CLASS}{sentence()}\n",
    "a record beside other words": json.dumps({"prompt": "for example, a", "error": sentence()}),
    "a log with advice": f"2026-01-01 00:00:01 WARNING if you see this, wait: {sentence()}\n",
    "a log with code": f"ERROR in `train`: `{sentence()}`\n",
    "a program's own words": f"It looks like the card is full: {sentence()}\n",
    "a wrapper's advice": f"See [docs](https://a.b)\n{sentence()} - reduce the batch\n",
    "a chat": f"it fails\n```{CLASS}{sentence()}```\nif you see this `x`: wait\n",
    "three ticks in a sentence": f"the log: ```{sentence()}``` after a while\n",
    "pasted": f"# Bug\nIt fails:\n{CLASS}{sentence()}\n",
    "a quoted block": f"> {CLASS}{sentence()}\n",
    "JSON of an issue": json.dumps(
        {"body": f"# Bug\n```\n{CLASS}{sentence()}\n```\nIf you see it"}
    ),
}


@pytest.mark.parametrize("name", HAPPENED)
def test_what_somebody_pasted_is_a_failure(name):
    reading = read(HAPPENED[name])
    (failure,) = reading.failures
    assert failure.quantities["requested"].text == "1.13 GiB"
    assert reading.not_observed == ()


def test_two_messages_of_a_chat_are_two_blocks():
    text = (
        f"```{CLASS}{sentence()}```\nor ```{CLASS}{sentence(1)}\n```\nIf you see `{SHORT}` wait\n"
    )
    reading = read(text)
    assert [failure.pointer.line for failure in reading.failures] == [1, 2]
    assert [aside.pointer.line for aside in reading.not_observed] == [4]


@pytest.mark.parametrize(
    ("text", "recovered"),
    [
        (f"```\n{CLASS}{sentence()}\n```\nI am retrying with a smaller batch.\n", None),
        (f"```\n{CLASS}{sentence()}\nretrying with a smaller batch\n```\n", True),
        (f"{CLASS}{sentence()}\nYou may lower the batch size.\n", None),
        (f"{CLASS}{sentence()}\nTry to fix it by lowering the batch size.\n", None),
        (f"{CLASS}{sentence()}\nINFO Reducing batch size to 4\n", True),
        (f"{CLASS}{sentence()}\nreduce batch size to 4\n", True),
    ],
)
def test_prose_never_says_that_the_program_went_on(text, recovered):
    (failure,) = read(text).failures
    assert failure.recovered is recovered
