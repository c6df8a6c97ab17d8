"""Samples of evidence, and the ways in which files are damaged or forged."""

import json
from pathlib import Path

from hypothesis import strategies as st
from importers import allocator
from importers.messages import CLASS, brackets, sentence

SAMPLES = Path(__file__).parents[3] / "shared" / "cases" / "evidence"
STRANGE = (
    *(None, True, -1, 0, 7, 10**30, 1.5, -0.0, 1e300, float("nan"), float("inf")),
    *("", "x", "7 GiB", "NaN", "-1", "/", "\u0000", "9" * 500, "\ud7ff"),
    *([], {}, [[]], [None] * 3, {"": None}, {"value": {}}, [[0, 1], [2]]),
)
MOST_REPEATED = 100_000  # bytes
# Where the shared samples are not at hand: a few texts of each build.
EMBEDDED = {
    "torch_oom": (CLASS + sentence() + "\n" + brackets() + "\n").encode(),
    "torch_memory_summary": allocator.table(allocator.stats(ooms=1), 3).encode(),
    "torch_memory_stats": json.dumps(allocator.stats(ooms=1), indent=1).encode(),
    "printed": f"step 3: {allocator.stats()!r}\n".encode(),
    "torch_profiler_timeline": b"[[1752000000000100, 1752000000000101], [[0, 1, 2, 3, 4, 5, 6, 7, 8],"
    b" [0, 1, 2, 3, 0, 5, 6, 7, 8]]]",
    "nvidia_smi_csv": b"index, name, memory.used [MiB], memory.total [MiB]\r\n0, NVIDIA L4, 17 MiB, [N/A]\r\n",
    "vllm_log": b"INFO 06-01 10:00:00 [gpu_model_runner.py:1] Model loading took 7.6065 GiB and 3.18 seconds\n"
    b"INFO 06-01 10:00:01 [kv_cache_utils.py:9] GPU KV cache size: 92,144 tokens\n",
    "llamacpp_log": b"load_tensors:        CUDA0 model buffer size =  4403.50 MiB\n"
    b"llama_kv_cache_init:      CUDA0 KV buffer size =  1024.00 MiB\n",
}


def samples():
    """The bytes of every sample by (kind, name)."""
    found = {}
    for expectation in sorted(SAMPLES.glob("*.expected.json")):
        name = expectation.name.removesuffix(".expected.json")
        kind = json.loads(expectation.read_text(encoding="utf-8"))["kind"]
        for path in SAMPLES.glob(f"{name}.*"):
            if path != expectation:
                found[kind, path.name] = path.read_bytes()
    return found or {(kind, kind): content for kind, content in EMBEDDED.items()}


def cut_out(draw, content):
    """A stretch replaced by other bytes, or by a stretch from elsewhere."""
    at = draw(st.integers(0, len(content)))
    end = min(len(content), at + draw(st.sampled_from([0, 1, 2, 9, 80, 1000])))
    start = draw(st.integers(0, len(content)))
    elsewhere = content[start : start + draw(st.sampled_from([1, 30, 500]))]
    put = draw(
        st.sampled_from([b"", elsewhere, b"\x00", b"\r", b"\n", b'"', b"|", b"{" * 40, b"\xff\xfe"])
    )
    return content[:at] + put + content[end:]


def ended(draw, content):
    """The file breaks off."""
    return content[: draw(st.integers(0, len(content)))]


def lines_moved(draw, content):
    """A line dropped, doubled, or changed for another."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    return b"".join(
        draw(
            st.sampled_from(
                [
                    lines[:one] + lines[one + 1 :],
                    lines[:one] + [lines[one]] * draw(st.integers(2, 40)) + lines[one + 1 :],
                    [*lines[:one], lines[other], *lines[one + 1 :]],
                    lines + lines,
                ]
            )
        )
    )


def digits_changed(draw, content):
    """A digit becomes another one, or many."""
    places = [at for at, byte in enumerate(content[:20_000]) if 48 <= byte <= 57]
    if not places:
        return content
    at = draw(st.sampled_from(places))
    put = draw(
        st.sampled_from([b"0", b"9", b"", b"-", b".", b"99999999999", b"9" * 400, b"1e9", b",5"])
    )
    return content[:at] + put + content[at + 1 :]


def members_replaced(draw, content):
    """A member of a JSON document, or of one of its lines, becomes something else."""
    lines = content.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    for text in (content, lines[at]):
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            continue
        changed = json.dumps(
            replaced(draw, document), indent=draw(st.sampled_from([None, 1]))
        ).encode()
        if text is content:
            return changed
        return b"\n".join([*lines[:at], changed, *lines[at + 1 :]])
    return content


def replaced(draw, document):
    """The document with one of its members strange, gone or doubled; the deeper the likelier."""
    if isinstance(document, dict) and document:
        key = draw(st.sampled_from(sorted(document)))
        held = document[key]
        if isinstance(held, dict | list) and held and draw(st.integers(0, 3)):
            return {**document, key: replaced(draw, held)}
        if draw(st.integers(0, 4)):
            return {**document, key: draw(st.sampled_from(STRANGE))}
        return {name: value for name, value in document.items() if name != key}
    if isinstance(document, list) and document:
        place = draw(st.integers(0, len(document) - 1))
        if draw(st.integers(0, 3)):
            return [*document[:place], replaced(draw, document[place]), *document[place + 1 :]]
        return document[:place] + document[place + 1 :]
    return draw(st.sampled_from(STRANGE))


def disguised(draw, content):
    """As launchers, viewers, terminals and other records hand it on; or many runs in one file."""
    lines = content.splitlines(keepends=True)
    front = draw(
        st.sampled_from([b"[rank3]: ", b"web-1  | ", b"2026-01-15T03:22:41.1Z stdout F ", b"> "])
    )
    columns = draw(st.sampled_from([40, 80, 100]))
    handed = {
        "crlf": lambda: content.replace(b"\n", b"\r\n"),
        "prefix": lambda: b"".join(front + line for line in lines),
        "escaped": lambda: json.dumps({"log": content.decode("utf-8", errors="replace")}).encode(),
        "wrapped": lambda: b"\n".join(
            content[n : n + columns] for n in range(0, len(content), columns)
        ),
        "repeated": lambda: content * max(1, MOST_REPEATED // max(1, len(content))),
    }
    return handed[draw(st.sampled_from(sorted(handed)))]()


def joined(draw, content):
    """Another text behind or in front of it."""
    other = draw(st.sampled_from(sorted(EMBEDDED.values())))
    return content + other if draw(st.booleans()) else other + content


KINDS = (
    *(cut_out, cut_out, ended, lines_moved, digits_changed, digits_changed, members_replaced),
    *(members_replaced, disguised, joined),
)


@st.composite
def damaged(draw, contents):
    """One of the contents, with up to four damages."""
    content = draw(st.sampled_from(contents))
    for _ in range(draw(st.integers(1, 4))):
        content = draw(st.sampled_from(KINDS))(draw, content)
    return content
