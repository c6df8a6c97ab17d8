"""Who printed a line of a log of several programs: containers, pods, processes (evidence_formats 1.4)."""

import pytest
from importers.messages import CLASS, sentence

from fiche.importers._prefix import NOBODY, Speaker, speaker
from fiche.importers.torch_oom import MEMBER

DIGEST = "ab" * 32


def read(text):
    return MEMBER.read(text.encode(), DIGEST)


def told(text):
    return [(failure.speaker, failure.rank) for failure in read(text).failures]


@pytest.mark.parametrize(
    ("front", "name"),
    [
        ("vllm-1      | ", "vllm-1"),
        ("vllm_1  | INFO ", "vllm_1"),
        ("my-server  | ", "my-server"),
        ("\x1b[36mvllm-1  |\x1b[0m ERROR ", "vllm-1"),
        ("[36mvllm-1  |[0m ERROR ", "vllm-1"),
        ("2026-01-15T03:22:41.1234567Z vllm-1  | ", "vllm-1"),
        ("[vllm] | ", "vllm"),
        ("[pod/vllm-0/server] ", "vllm-0/server"),
        ("vllm-6d8f9c7b5d-x2x4k server ", "vllm-6d8f9c7b5d-x2x4k server"),
        ("[vllm-6d8f9c7b5d-x2x4k] ", "vllm-6d8f9c7b5d-x2x4k"),
        ("(RayTrainWorker pid=991, ip=10.0.0.6) ", "pid 991 on 10.0.0.6"),
        ("vllm-1  | (Worker_TP1 pid=7) ERROR ", "vllm-1, pid 7"),
    ],
)
def test_names(front, name):
    assert speaker(front.encode()).name == name


@pytest.mark.parametrize(
    "front",
    [
        "ERROR     | ",
        "2026-01-01 00:00:00.000 | ERROR    | trainer:fit:12 - ",
        "loss | ",
        "|  Allocated memory  | ",
        "step 3  | ",
        "epoch-2 | ",
        "12  | ",
    ],
)
def test_columns_of_a_logger_are_no_name(front):
    assert speaker(front.encode()) == NOBODY


def test_two_services_with_equal_figures_are_two_failures():
    text = f"vllm-1      | {CLASS}{sentence()}\nembedder-1  | {CLASS}{sentence()}\n"
    assert told(text) == [("vllm-1", None), ("embedder-1", None)]
    reading = read(text * 2)
    assert (len(reading.failures), reading.duplicate_messages) == (2, 2)


def test_a_wrapped_message_goes_on_behind_the_lines_of_another_container():
    message = f"{CLASS}{sentence()}"
    first, rest = message[:90], message[90:]
    text = f"vllm-1      | {first}\nembedder-1  | INFO 127.0.0.1 ok\nvllm-1      | {rest}\n"
    (failure,) = read(text).failures
    assert failure.quantities["reserved_unallocated"].text == "1.96 GiB"
    assert (failure.speaker, failure.truncated) == ("vllm-1", False)


def test_workers_of_ray_show_their_process_and_their_machine():
    workers = [("4411", "10.0.0.5"), ("4412", "10.0.0.5"), ("4411", "10.0.0.6")]
    text = "".join(
        f"\x1b[36m(RayTrainWorker pid={pid}, ip={ip})\x1b[0m {CLASS}{sentence()}\n"
        for pid, ip in workers
    )
    assert told(text) == [(f"pid {pid} on {ip}", None) for pid, ip in workers]


def test_a_child_process_is_announced_before_its_traceback():
    text = "".join(
        f"Process SpawnProcess-{n}:\nTraceback (most recent call last):\n  File 'a.py', line 1\n"
        f"{CLASS}{sentence()}\n"
        for n in (1, 2)
    )
    assert told(text) == [("SpawnProcess-1", None), ("SpawnProcess-2", None)]


def test_a_traceback_of_a_child_repeats_what_its_container_logged():
    text = (
        f"vllm-1  | ERROR {sentence()}\nvllm-1  | Process EngineCore_0:\n"
        f"embedder-1  | (Worker_TP1 pid=9) INFO fine\n"
        f"vllm-1  | Traceback (most recent call last):\nvllm-1  | {CLASS}{sentence()}\n"
    )
    reading = read(text)
    assert (len(reading.failures), reading.duplicate_messages) == (1, 1)


def test_what_one_line_does_not_tell_another_does():
    one = Speaker(None, "7", service="a")
    assert one.and_of(Speaker("TP1", None, process="p")) == Speaker("TP1", "7", "a", "p")
    assert not one.may_be(Speaker(None, "7", service="b"))
    assert one.may_be(Speaker(None, None))
    assert not one.may_be(Speaker(None, "8"))
