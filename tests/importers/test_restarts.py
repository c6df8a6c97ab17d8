"""One failure or two: repeats, restarts, and which line of several tells the figures (C11)."""

import pytest
from importers.messages import CLASS, sentence

from fiche.importers.torch_oom import MEMBER

DIGEST = "ab" * 32
MESSAGE = f"[rank0]: {CLASS}{sentence()}\n"


def read(text):
    return MEMBER.read(text.encode(), DIGEST)


def lines(text):
    reading = read(text)
    return [failure.pointer.line for failure in reading.failures], reading.duplicate_messages


ELASTIC = (
    "W0612 09:41:17.205000 2201 torch/distributed/elastic/agent/server/api.py:897] [default] Worker group "
    "FAILED. 3/3 attempts left; will restart worker group\n"
)
ENGINE = (
    "(APIServer pid=1) INFO 11-05 09:30:04 [api_server.py:1839] vLLM API server version 0.11.0\n"
)
SGLANG = "[2026-03-01 10:00:00] server_args=ServerArgs(model_path='a/b', tp_size=1)\n"
SYSTEMD = "systemd[1]: vllm.service: Scheduled restart job, restart counter is at 3.\n"
KUBELET = "kubelet: Back-off restarting failed container vllm\n"
TORCHRUN = (
    "W0612 09:41:17.205000 1 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable "
    "for each process to be 1 in default\n"
)


@pytest.mark.parametrize(
    "between", [ELASTIC, ENGINE, SGLANG, SYSTEMD, KUBELET, TORCHRUN, "Restarting ...\n"]
)
def test_the_same_message_after_a_restart_is_a_second_failure(between):
    assert lines(MESSAGE + between + MESSAGE) == ([1, 3], 0)
    assert lines(MESSAGE + MESSAGE + between + MESSAGE + MESSAGE) == ([1, 4], 2)


def test_words_about_a_restart_are_none():
    assert lines(MESSAGE + "Restarting may help\n" + MESSAGE) == ([1], 1)
    assert lines(MESSAGE + "try restarting the runtime\n" + MESSAGE) == ([1], 1)


def test_a_restart_of_another_container_is_not_that_of_this_one():
    told = [f"vllm-1      | {CLASS}{sentence()}\n", f"embedder-1  | {ENGINE}"]
    assert lines(told[0] + told[1] + told[0]) == ([1], 1)
    assert lines(told[0] + told[1].replace("embedder-1", "vllm-1    ") + told[0]) == ([1, 3], 0)


def test_many_steps_later_it_is_another_failure():
    steps = [f"step {n} loss 2.1\n" for n in range(500)]
    assert lines(MESSAGE + "".join(steps) + MESSAGE) == ([1, 502], 0)
    assert lines(MESSAGE + "".join(steps[:20]) + MESSAGE) == ([1], 1)


def test_some_steps_of_another_day_are_another_run():
    steps = [f"2026-06-{day} 10:00:00 step {n} loss 2\n" for day, n in ((12, 1), (12, 2), (13, 3))]
    assert lines(MESSAGE + "".join(steps) + MESSAGE) == ([1, 5], 0)
    assert lines(MESSAGE + "".join(steps[:2]) + MESSAGE) == ([1], 1)


def test_the_line_is_that_of_the_message_with_the_figures():
    cut = f"ERROR {sentence()[:60]}...\n"
    (failure,) = read(f"{cut}x\n{cut}{MESSAGE}{cut}").failures
    assert (failure.pointer.line, failure.truncated) == (4, False)
    assert all(value.text in failure.message for value in failure.quantities.values())
    assert failure.pointer.text == failure.message


def test_warnings_name_the_line_with_the_figures():
    reading = read(
        f"ERROR {sentence(free='9.00 GiB')[:60]}...\n{CLASS}{sentence(free='9.00 GiB')}\n"
    )
    (warned,) = [text for text in reading.warnings if "free_exceeds_requested" in text]
    assert "(line 2)" in warned
