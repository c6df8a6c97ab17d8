"""Redaction takes names and secrets, and leaves lines and figures (law 6, C13)."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiche.assets import schema_text
from fiche.importers._redacted import KINDS, redacted, told
from fiche.importers._redaction_check import figures, redacted_alike
from fiche.importers._room import Room
from fiche.kernel.diagnostic import Refused
from fiche.kernel.secrets import suspects

ROOT = Path(__file__).parents[2]
DIGEST = "0" * 64
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.13 GiB. GPU 0 has a total capacity of "
    "23.64 GiB of which 97.19 MiB is free. Process 40213 has 22.57 GiB memory in use. Of the allocated memory "
    "21.12 GiB is allocated by PyTorch, and 43.31 MiB is reserved by PyTorch but unallocated.\n"
)


def after(text):
    return redacted(text.encode(), DIGEST).text.decode()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("/home/zoe/x.py of zoe", "/home/<user-1>/x.py of <user-1>"),
        (
            "/nfs/home/zoe/a /Users/max/b /home/zoe",
            "/nfs/home/<user-1>/a /Users/<user-2>/b /home/<user-1>",
        ),
        (r"C:\Users\Jane Doe\AppData", r"C:\Users\<user-1>\AppData"),
        (r'"C:\\Users\\bob\\x"', r'"C:\\Users\\<user-1>\\x"'),
        ("/mnt/c/Users/Bob/x", "/mnt/c/Users/<user-1>/x"),
        (
            "anna@gpubox17:~/run$ ls\nUSER=anna on gpubox17",
            "<user-1>@<host-1>:~/run$ ls\nUSER=<user-1> on <host-1>",
        ),
        (
            "https://wandb.ai/anna/p/runs/1 --host box17 SLURM_JOB_USER=bert",
            "https://wandb.ai/<user-1>/p/runs/1 --host <host-1> SLURM_JOB_USER=<user-2>",
        ),
        ("uid=1000(anna) gid=1000(anna)", "uid=1000(<user-1>) gid=1000(<user-1>)"),
        (
            "wandb: Currently logged in as: anna (team)",
            "wandb: Currently logged in as: <user-1> (team)",
        ),
        ("mail bob@example.org.", "mail <email-1>."),
        (
            "Marie Dupont  9:41 AM\nit died\nBen  9:45 AM\n> Marie Dupont: it died, said ben",
            "<user-1>  9:41 AM\nit died\n<user-2>  9:45 AM\n> <user-1>: it died, said ben",
        ),
        (
            "Zoë O'Neil-Roth:palm_tree: [9:41 PM]\r\nx\r\nWandB APP  11:02 AM\r\n",
            "<user-1>:palm_tree: [9:41 PM]\r\nx\r\n<user-2> APP  11:02 AM\r\n",
        ),
        ("Dupont, Marie 9:41 AM", "Dupont, Marie 9:41 AM"),
        ("Marie Dupont 9:41 am\nx", "<user-1> 9:41 am\nx"),
        ("marie — Today at 10:42\nx", "<user-1> — Today at 10:42\nx"),
        ("marie.d — 03/11/2025 9:41 PM\nx", "<user-1> — 03/11/2025 9:41 PM\nx"),
        (
            "thanks @marie.d, can @ben look? <@U012AB3CD> (@ben)",
            "thanks @<user-2>, can @<user-3> look? <@<user-1>> (@<user-3>)",
        ),
        ("(pid=1, ip=10.0.0.2) 10.0.0.2:29500", "(pid=1, ip=<ip-1>) <ip-1>:29500"),
        ("[fe80::1ff:fe23:4567:890a%eth0]:80 2001:db8::1", "[<ip-1>]:80 <ip-2>"),
        ("ether aa:bb:cc:dd:ee:0f", "ether <mac-1>"),
        ("GPU-5b0e6f1c-8f3a-4d62-9c1e-3a7d52e0b914", "<uuid-1>"),
        (
            "    Serial Number                         : 1562220012345",
            "    Serial Number                         : <serial-1>",
        ),
        (
            '<?xml version="1.0"?><serial>1562220012345</serial>',
            '<?xml version="1.0"?><serial>&lt;serial-1&gt;</serial>',
        ),
        (
            "index, serial, memory.used [MiB]\n0, 1562220012345, 3 MiB",
            "index, serial, memory.used [MiB]\n0, <serial-1>, 3 MiB",
        ),
        ("Nov 30 13:00:01 box17 ollama[12]: x", "Nov 30 13:00:01 <host-1> ollama[12]: x"),
        (
            "[rank0]: 2026-11-18 14:02:11,5 box17 serve[41]: x",
            "[rank0]: 2026-11-18 14:02:11,5 <host-1> serve[41]: x",
        ),
        ("avril 27 12:00:00 box17 ollama[1]: y", "avril 27 12:00:00 <host-1> ollama[1]: y"),
        ("  host      : node017.example (local)", "  host      : <host-1> (local)"),
        ("node-1:4034:4035 [0] NCCL INFO Bootstrap", "<host-1>:4034:4035 [0] NCCL INFO Bootstrap"),
        (
            "srun: error: node017: task 3: Out Of Memory",
            "srun: error: <host-1>: task 3: Out Of Memory",
        ),
        ("http://mlflow.acme.example:5000/x", "http://<host-1>:5000/x"),
        ("postgres://u:p@db.internal:5432/x", "postgres://<password-1>@<host-1>:5432/x"),
        ("https://u:p@ss@hub.acme.example/x", "https://<password-1>@<host-1>/x"),
        ("sk-" + "a1" * 300, "<token-1>"),
        ("pod/vllm-7d9f8b6c5-x2k4q", "pod/<pod-1>"),
        ("cri-containerd-" + "ab" * 32 + ".scope", "cri-containerd-<container-1>.scope"),
        ("HF_TOKEN=hf_" + "a" * 34, "HF_TOKEN=<token-1>"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer <token-1>"),
        ('{"log":"a\\n10.0.0.9 \\nhf_' + "b" * 34 + '"}', '{"log":"a\\n<ip-1> \\n<token-1>"}'),
        ("\x1b[32m10.0.0.9\x1b[0m", "\x1b[32m<ip-1>\x1b[0m"),
    ],
)
def test_a_name_or_a_secret_becomes_a_placeholder(text, wanted):
    assert after(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        OOM,
        "torch 2.11.0+cu128, driver 535.54.03, cudnn 9.1.0.70, nvidia-cublas-cu12==12.4.5.8",
        "nvidia-cudnn-cu12         9.1.0.70    pypi_0",
        "| 00000000:65:00.0 Off | 0000:C1:00.0 NVIDIA GeForce RTX 4090",
        '  File "/usr/lib/python3.12/site-packages/torch/nn/modules/module.py", line 1736, in _call_impl',
        "c10::Error at 12:30:45 std::string 2026-11-30 13:00:01,123",
        "INFO 11-04 07:41:22 [core.py:843] GPU KV cache size: 92,144 tokens",
        "see https://pytorch.org/docs/stable/notes/cuda.html and https://github.com/vllm-project/vllm",
        "--host 0.0.0.0 --port 8000 http://127.0.0.1:8000 http://localhost:8000",
        "revision 0e9e39f249a16976918f6564b8830bc894c89659",
        "/root/.cache /opt/venv/lib /data/models/Llama",
        "https://docs.nvidia.com/users/guide.html",
    ],
)
def test_figures_versions_devices_and_frames_of_libraries_stay(text):
    assert after(text) == text


def test_a_private_key_keeps_its_lines():
    text = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\r\nabc=\n-----END RSA PRIVATE KEY-----\nb\n"
    found = after(text)
    assert "MIIE" not in found
    assert list(suspects(found.encode())) == []
    assert "abc=" not in found
    assert [line[:5] for line in found.split("\n")] == [
        "a",
        "-----",
        "<key-",
        "<key-",
        "-----",
        "b",
        "",
    ]


def test_the_same_thing_gets_the_same_placeholder_and_is_counted_once():
    found = redacted(b"/home/zoe/a\n/home/Zoe/b\n10.0.0.1 10.0.0.1 10.0.0.2\n", DIGEST)
    assert (found.counts, found.places) == ({"ip": 2, "user": 1}, {"user": 2, "ip": 3})
    assert list(told(found.counts)) == ["2 IP addresses", "1 user"]


def test_a_name_that_is_also_a_word_of_programs_goes_only_where_it_is_a_name():
    assert after("/home/vllm/x vllm 0.8.5") == "/home/<user-1>/x vllm 0.8.5"


def test_the_name_of_the_file_is_redacted_with_it():
    assert redacted(b"/home/anna/x\n", DIGEST, "run-anna.log").name == "run-<user-1>.log"


@pytest.mark.parametrize("content", [b"\x80\x04\x95\x10", b"PK\x03\x04\x00\x00", b"a\x00b"])
def test_what_is_no_text_is_refused(content):
    with pytest.raises(Refused) as refused:
        redacted(content, DIGEST)
    assert [d.code for d in refused.value.diagnostics] == ["F483"]


def test_a_redaction_that_would_change_a_figure_is_refused():
    """A reader that depends on a name: nothing that it reads may be replaced."""

    class Named:
        def kinds(self):
            return ()

        def read(self, content, sha256, name, kind):
            from fiche.kernel.piece import Reading

            return Reading(kind="x", shape="y", counters={"names": content.count(b"zoe")})

    with pytest.raises(Refused) as refused:
        redacted_alike(b"/home/zoe/x\n", DIGEST, "a.log", "", Named())
    assert [d.code for d in refused.value.diagnostics] == ["F484"]


def test_a_name_that_is_a_figures_word_elsewhere_stays_there():
    """The user is called as a word that the format needs: it goes where it is a name, and stays elsewhere."""
    text = f"/home/Tried/x.py\n{OOM}".encode()
    found = redacted_alike(text, DIGEST, "a.log", "", Room())
    assert found.text == f"/home/<user-1>/x.py\n{OOM}".encode()


def test_kinds_are_those_that_a_fiche_may_count():
    import json

    piece = json.loads(schema_text("fiche.schema.json"))["$defs"]["piece"]
    assert set(piece["properties"]["redacted"]["properties"]) == set(KINDS)


@pytest.mark.parametrize(
    "path",
    sorted(ROOT.glob("samples/*/evidence/*.json"))
    + sorted(ROOT.glob("samples/*/evidence/oom*.log")),
    ids=lambda p: p.name,
)
def test_the_samples_say_the_same_redacted(path):
    content = path.read_bytes()
    found = redacted_alike(content, DIGEST, path.name, "", Room())
    assert found.text.count(b"\n") == content.count(b"\n")
    again = Room().read(found.text, DIGEST, path.name, "")
    assert list(figures(again)) == list(figures(Room().read(content, DIGEST, path.name, "")))


# --- Any secret in any log ------------------------------------------------------------------------

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def word(least, most, letters=LETTERS):
    return st.text(letters, min_size=least, max_size=most)


NAMES = word(4, 12, "bcdfghjklmnpqrstvwxz").map(lambda name: f"q{name}")
SECRETS = st.one_of(
    word(30, 40).map(lambda w: ("hf_" + w, "hf_" + w)),
    word(36, 40).map(lambda w: ("ghp_" + w, f"token ghp_{w} used")),
    word(60, 80).map(lambda w: (w, f"github_pat_{w}")),
    word(20, 60).map(lambda w: ("sk-" + w, f"key=sk-{w}")),
    word(16, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567").map(lambda w: ("AKIA" + w, f"AKIA{w}")),
    word(35, 35).map(lambda w: ("AIza" + w, f"'AIza{w}'")),
    word(12, 40).map(lambda w: (f"{w}7", f"Authorization: Bearer {w}7")),
    word(8, 30).map(lambda w: (f"b{w}7", f"password=b{w}7")),
    word(8, 30).map(lambda w: (f"Q{w}", f"api_key: 'Q{w}'")),
    word(8, 30).map(lambda w: (f"b{w}Q", f"HF_TOKEN=b{w}Q")),
    word(40, 40, "0123456789abcdef").map(lambda w: (w, f"WANDB_API_KEY={w}")),
    word(8, 20).map(lambda w: (w, f"https://user:{w}@hub.example.net/x")),
    st.tuples(word(10, 20), word(10, 20), word(10, 20)).map(
        lambda w: (f"{w[1]}.{w[2]}", f"eyJ{w[0]}.{w[1]}.{w[2]}")
    ),
    NAMES.map(lambda n: (n, f"/home/{n}/venv/lib/x.py")),
    NAMES.map(lambda n: (n, f"USER={n}")),
    NAMES.map(lambda n: (n, f"C:\\Users\\{n}\\x")),
    NAMES.map(lambda n: (n, f"mail {n}@{n}.example.org")),
    NAMES.map(lambda n: (n, f"hostname={n}01, again {n}01")),
    st.ip_addresses(v=4)
    .filter(lambda a: not (a.is_loopback or a.is_unspecified or str(a) == "255.255.255.255"))
    .map(lambda a: (str(a), f"connect to {a}:29500")),
    st.ip_addresses(v=6, network="2001:db8::/32").map(lambda a: (str(a), f"peer [{a}]:80")),
    st.uuids().map(lambda u: (str(u), f"UUID: GPU-{u}")),
    st.lists(st.integers(0, 255), min_size=6, max_size=6).map(
        lambda b: (":".join(f"{x:02x}" for x in b), "mac " + ":".join(f"{x:02x}" for x in b))
    ),
)
PREFIXES = st.sampled_from(
    [
        "",
        "[rank0]: ",
        "2026-01-15T03:22:41.1Z ",
        "\x1b[36m",
        "svc-1  | ",
        "INFO 11-04 07:41:22 [core.py:843] ",
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(PREFIXES, SECRETS), min_size=1, max_size=5),
    st.integers(0, 5),
    st.sampled_from(["\n", "\r\n"]),
)
def test_no_secret_survives_and_every_figure_does(planted, at, end):
    lines = [f"{prefix}{line}" for prefix, (_, line) in planted]
    lines.insert(min(at, len(lines)), OOM.strip())
    text = (end.join(lines) + end).encode()
    found = redacted_alike(text, DIGEST, "a.log", "", Room()).text
    for _, (secret, _) in planted:
        assert secret.encode() not in found, (secret, found)
    assert list(suspects(found)) == []
    assert found.count(b"\n") == text.count(b"\n")
    assert OOM.strip().encode() in found


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300).filter(lambda b: b"\x00" not in b and b[:1] != b"\x80"))
def test_any_text_keeps_its_lines_and_a_second_redaction_changes_nothing(content):
    once = redacted(content, DIGEST)
    assert once.text.count(b"\n") == content.count(b"\n")
    assert re.sub(rb"<[a-z]+-[0-9]+>", b"<>", redacted(once.text, DIGEST).text) == re.sub(
        rb"<[a-z]+-[0-9]+>", b"<>", once.text
    )


@pytest.mark.parametrize("name", ["bert", "b1", "bb"])
def test_a_name_goes_with_its_first_letter(name):
    """`b'...'` is how Python prints bytes: only before a quote is that letter no part of a name."""
    assert after(f"USER={name} password=b{name}7x hostname=b{name}x") == (
        "USER=<user-1> password=<password-1> hostname=<host-1>"
    )
    assert after(f"password=b'{name}7x'") == "password=b'<password-1>'"


@pytest.mark.parametrize(
    "text",
    [
        "started at 9:41 AM",
        "Started 9:41 AM",
        "INFO  9:41 AM loading",
        "elapsed  10:42\nTotal Time  10:42\n",
        "    @property\n    @torch.no_grad()\n@functools.cache\ndef f(self):",
        "pass@1 0.31, acc@top5, 37 GB @bs4, latency @p99 and @seq2048",
        '{"@timestamp": "2025-03-01T10:00:00Z", "@type": "x"} @timestamp=3',
        "image: vllm/vllm-openai@sha256:0123 npm @types/node @here",
        "x = q @ k.T + a @self.w",
        "curl -d @body.json",
        "@echo off",
    ],
)
def test_what_only_looks_like_a_heading_or_a_handle_stays(text):
    assert after(text) == text
