"""Messages as people keep them (evidence_formats 1.4): any damages on top of each other never make a figure.

Each figure of a damaged message is the one that was printed, or it is missing and the failure says that its
message breaks off.
"""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.messages import (
    ADVICE,
    CLASS,
    IPEX,
    MPS,
    brackets,
    coloured,
    hard_wrapped,
    sentence,
    six_lines,
    soft_wrapped,
)

from fiche.importers import host_oom, kernel_resource_limit, torch_oom
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
CPU = (
    "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate "
    "memory: you tried to allocate 98784247808 bytes. Error code 12 (Cannot allocate memory)"
)
TRITON = (
    "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 98304, Hardware "
    "limit: 65536. Reducing block sizes or `num_stages` may help."
)
HPU = "RuntimeError: FATAL ERROR :: MODULE:PT_DEVMEM Allocation failed for size::939524096 (896)MB"
MESSAGES = {
    "sentence": (torch_oom.MEMBER, CLASS + sentence() + ADVICE),
    "no pools": (
        torch_oom.MEMBER,
        CLASS
        + sentence().replace("with 19.00 MiB allocated in private pools (e.g., CUDA Graphs), ", ""),
    ),
    "hip": (torch_oom.MEMBER, CLASS + sentence().replace("CUDA", "HIP")),
    "brackets": (torch_oom.MEMBER, "RuntimeError: " + brackets()),
    "cached": (
        torch_oom.MEMBER,
        "RuntimeError: " + brackets().replace("reserved in total by PyTorch", "cached"),
    ),
    "six lines": (torch_oom.MEMBER, CLASS + six_lines()),
    "mps": (torch_oom.MEMBER, "RuntimeError: " + MPS),
    "ipex": (torch_oom.MEMBER, "RuntimeError: " + IPEX),
    "hpu": (torch_oom.MEMBER, HPU),
    "cpu": (host_oom.MEMBER, CPU),
    "triton": (kernel_resource_limit.MEMBER, TRITON),
}
PREFIXES = [
    "[rank3]: ",
    "[default3]:",
    "[1,3]<stderr>:",
    " 3: ",
    "(Worker_TP1 pid=713) ERROR 03-22 09:30:11 [core.py:843] ",
    "[2025-05-08 11:20:07 TP0] ",
    "(RayTrainWorker pid=1234, ip=10.0.0.3) ",
    "svc-1  | ",
    "2026-01-15T03:22:41.1187734Z ",
    "2026-01-15T03:22:41.123456789Z stderr F ",
    "12218.4s\t489\t",
    "E       ",
    "│ ",
    "Aug 21 22:56:04 node7 python[4242]: ",
    "2026-01-15 03:22:41.118 | ERROR    | train.loop:step:88 - ",
    "[pod/train-0-x7k2/main] ",
    "train-0-x7k2 main ",
    "> ",
]
BAR = "  0%|          | 0/250 [00:14<?, ?it/s]"


def prefixed(text, data):
    prefix = data.draw(st.sampled_from(PREFIXES))
    return "\n".join(prefix + line for line in text.split("\n"))


def docker(text, _):
    told = (
        {"log": f"{line}\n", "stream": "stderr", "time": "2026-01-15T03:22:41.12Z"}
        for line in text.split("\n")
    )
    return "\n".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in told)


def with_a_bar(text, data):
    lines = text.split("\n")
    lines.insert(data.draw(st.integers(0, len(lines))), BAR)
    return "\n".join(lines)


def in_front(text, data):
    return (
        data.draw(st.sampled_from(["Loading: 10%|#  | 1/6\r", "\x1b[2K", "step 7: ", "\ufeff"]))
        + text
    )


DAMAGES = {
    "hard": lambda text, data: hard_wrapped(text, data.draw(st.integers(60, 120))),
    "soft": lambda text, data: soft_wrapped(text, data.draw(st.integers(60, 120))),
    "prefix": prefixed,
    "crlf": lambda text, _: text.replace("\n", "\r\n"),
    "colours": lambda text, _: coloured(text),
    "lost escapes": lambda text, _: coloured(text).replace("\x1b", ""),
    "json": lambda text, _: json.dumps({"status": "failed", "error": text}),
    "docker": docker,
    "doubled blanks": lambda text, _: text.replace(" ", "  "),
    "hard blanks": lambda text, _: text.replace(" ", "\u00a0"),
    "bar": with_a_bar,
    "front": in_front,
    "quoted": lambda text, _: f"'{text}'",
    "padded": lambda text, _: "\n".join(f"{line:<130}" for line in text.split("\n")),
}
# A terminal wraps what it shows: no line break runs through a colour or an escape.
LATER = {"colours", "lost escapes", "json", "docker"}
WRAPPINGS = [
    lambda text: text.encode(),
    lambda text: gzip.compress(text.encode()),
    lambda text: text.encode("utf-16"),
    lambda text: text.encode("utf-16-le"),
    lambda text: b"\xff\xfe\xfd" * 5 + b"\n" + text.encode() + b"\x00\x00",
]


def figures(failure):
    return {name: value.text for name, value in failure.quantities.items()}


def failures(importer, content):
    try:
        return importer.read(content, DIGEST).failures
    except Refused:
        return ()


RIGHT = {
    name: figures(one.read(text.encode(), DIGEST).failures[0])
    for name, (one, text) in MESSAGES.items()
}


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("damage", DAMAGES)
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_one_damage_takes_no_figure(name, damage, data):
    importer, text = MESSAGES[name]
    (failure,) = failures(importer, DAMAGES[damage](text, data).encode())
    if damage == "hard" and failure.truncated:  # a break through the last figure of a message
        assert len(RIGHT[name]) - len(figures(failure)) == 1
        assert figures(failure).items() <= RIGHT[name].items()
    else:
        assert figures(failure) == RIGHT[name]
        assert not failure.truncated


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(MESSAGES)),
    st.lists(st.sampled_from(sorted(DAMAGES)), min_size=2, max_size=4),
    st.sampled_from(WRAPPINGS),
    st.booleans(),
    st.data(),
)
def test_damages_on_top_of_each_other_make_no_figure(name, damages, wrapping, cut, data):
    importer, text = MESSAGES[name]
    if cut:
        text = text[: data.draw(st.integers(10, len(text)))]
    for damage in sorted(damages, key=LATER.__contains__):
        text = DAMAGES[damage](text, data)
    found = failures(importer, wrapping(f"step 1\n{text}\nstep 2 of 7 took 3.50 GiB\n"))
    for failure in found:
        assert figures(failure).items() <= RIGHT[name].items()
        assert failure.truncated or figures(failure) == RIGHT[name]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(sorted(MESSAGES)), min_size=2, max_size=5), st.data())
def test_runs_in_one_file_are_read_one_by_one(names, data):
    """Logs appended to each other: every message keeps its own figures and its own line."""
    noise = "".join(f"step {n} loss 0.5 memory {n}.50 GiB\n" for n in range(9_000))
    text, lines = "", []
    for name in names:
        lines.append(text.count("\n") + 1)
        text += f"{MESSAGES[name][1]}\n>>> next\n{noise}"
    for importer in {MESSAGES[name][0].name: MESSAGES[name][0] for name in names}.values():
        mine = [
            (name, line)
            for name, line in zip(names, lines, strict=True)
            if MESSAGES[name][0] is importer
        ]
        found = failures(importer, text.encode())
        assert [(figures(f), f.pointer.line) for f in found] == [
            (RIGHT[n], line) for n, line in mine
        ]
