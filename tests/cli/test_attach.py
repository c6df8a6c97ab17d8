"""`fiche import --to`: a file becomes a piece, the fiche keeps every line, all of it or nothing."""

import gzip
import hashlib
import io
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from importers.messages import CLASS, sentence

from fiche.assets import schema_text
from fiche.cli import attach, attach_read, output
from fiche.cli.attach_cards import cards_printing
from fiche.cli.attach_diff import diff_lines, painted
from fiche.cli.attach_place import free_id, safe_name
from fiche.load.catalog import builtin_catalog

SERVING = Path(__file__).parents[2] / "samples" / "serving"
OOM = f"step 1\n{CLASS}{sentence()}\n"
HEAD = "fiche: 1\ntitle: A test\ndate: 2026-11-29\nauthor: A. Martin\n"
REST = "candidates:\n  - {id: a, gpu: nvidia-rtx-4090-24g, cards: 1}\n"
FICHE = HEAD + "workload: {operation: generation}\n# the rest\n" + REST


@pytest.fixture
def folder(tmp_path):
    """A folder with a small fiche, and a log outside it."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "fiche.yaml").write_text(FICHE, encoding="utf-8")
    (tmp_path / "run.log").write_text(OOM, encoding="utf-8")
    return tmp_path


@pytest.fixture
def to(folder, fiche):
    """`to("run.log", ...)` imports files of the folder into its fiche."""

    def run(*arguments):
        files = [
            folder / a if str(a).endswith(_FILES) and str(a)[0] != "-" else a for a in arguments
        ]
        return fiche("import", *files, "--to", folder / "mine" / "fiche.yaml")

    return run


_FILES = (".log", ".json", ".txt", ".gz", ".pickle")


def text_of(folder):
    return (folder / "mine" / "fiche.yaml").read_text(encoding="utf-8")


def tree(folder):
    root = folder / "mine"
    return {
        str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()
    }


# --- What is written ------------------------------------------------------------------------------


def test_a_log_becomes_a_piece_beside_the_fiche(folder, to, fiche):
    ended = to("run.log")
    assert (ended.code, ended.err) == (0, "")
    assert (folder / "mine" / "pieces" / "run.log").read_bytes() == OOM.encode()
    digest = hashlib.sha256(OOM.encode()).hexdigest()
    text = text_of(folder)
    assert (
        f"pieces:\n  - id: run\n    file: pieces/run.log\n    sha256: {digest}\n    kind: torch_oom\n"
        in text
    )
    assert [line for line in text.splitlines() if line in FICHE.splitlines()] == FICHE.splitlines()
    assert fiche("check", folder / "mine" / "fiche.yaml").code == 0


def test_what_the_file_states_is_filled_in_and_the_rest_is_left_to_complete(folder, to):
    to("run.log")
    text = text_of(folder)
    assert "      backend: cuda  # line 2\n" in text
    assert "      # gpu:  # the card it ran on, by its id in the catalog\n" in text
    assert "      # model: {name: , revision: }\n" in text
    assert "    # machine:  # the machine it ran on, as a candidate names it\n" in text


def test_the_change_is_shown_and_a_dry_run_writes_nothing(folder, to):
    before = tree(folder)
    ended = to("run.log", "--dry-run")
    assert ended.code == 0
    assert tree(folder) == before
    assert "dry run: nothing was written" in ended.out
    shown = [line[1:] for line in ended.out.splitlines() if re.match(r"\+(?!\+\+)", line)]
    to("run.log")
    assert [
        line for line in text_of(folder).splitlines() if line not in FICHE.splitlines()
    ] == shown


def test_json_says_the_same_by_its_schema(folder, to):
    import jsonschema_rs

    document = to("run.log", "--json").json()
    validator = jsonschema_rs.Draft202012Validator(json.loads(schema_text("pieces.schema.json")))
    assert list(validator.iter_errors(document)) == []
    (piece,) = document["attached"]["pieces"]
    assert (piece["id"], piece["file"], piece["added"], piece["copied"]) == (
        "run",
        "pieces/run.log",
        True,
        True,
    )
    assert document["attached"]["written"] is True
    assert "+  - id: run\n" in document["attached"]["diff"]


def test_the_same_bytes_are_not_added_twice(folder, to):
    to("run.log")
    before = tree(folder)
    (folder / "again.log").write_text(OOM, encoding="utf-8")
    ended = to("again.log")
    assert ended.code == 0
    assert "attached already as 'run'" in ended.out
    assert "nothing to add" in ended.out
    assert tree(folder) == before


def test_a_file_in_the_folder_stays_where_it_is(folder, to):
    (folder / "mine" / "logs").mkdir()
    shutil.move(folder / "run.log", folder / "mine" / "logs" / "run.log")
    to(folder / "mine" / "logs" / "run.log")
    assert "file: logs/run.log\n" in text_of(folder)
    assert sorted(tree(folder)) == ["fiche.yaml", "logs/run.log"]


def test_a_different_file_of_the_same_name_is_never_overwritten(folder, to):
    (folder / "mine" / "pieces").mkdir()
    (folder / "mine" / "pieces" / "run.log").write_text("mine", encoding="utf-8")
    to("run.log")
    digest = hashlib.sha256(OOM.encode()).hexdigest()[:8]
    assert (folder / "mine" / "pieces" / "run.log").read_text(encoding="utf-8") == "mine"
    assert f"file: pieces/run-{digest}.log\n" in text_of(folder)


def test_the_folder_of_the_other_pieces_is_used(folder, to):
    shutil.copytree(SERVING, folder / "mine", dirs_exist_ok=True)
    assert to("run.log").code == 0
    assert "- id: run\n    file: evidence/run.log\n" in text_of(folder)


def test_several_files_are_all_or_nothing(folder, to):
    (folder / "two.log").write_text(OOM.replace("step 1", "step 2"), encoding="utf-8")
    (folder / "bad.log").write_bytes(b"nothing at all\n")
    before = tree(folder)
    ended = to("run.log", "bad.log", "two.log")
    assert ended.code == 2
    assert ended.err.startswith(f"F420 {folder / 'bad.log'}: ")
    assert tree(folder) == before
    assert to("run.log", "two.log").code == 0
    assert re.findall(r"- id: (\S+)\n", text_of(folder)) == ["run", "two"]


def test_a_document_is_attached_for_people_to_read(folder, to):
    (folder / "quote.txt").write_text("47.14 USD per lot\n", encoding="utf-8")
    assert to("quote.txt", "--kind", "quote").code == 0
    text = text_of(folder)
    assert "    kind: quote\n" in text
    assert '    #   - {fact: price, amount: , per: , covers: , quote: ""}\n' in text


def test_the_lines_of_a_document_that_hold_figures_are_shown_as_it_is_attached(folder, to):
    (folder / "quote.txt").write_text("Dear all\nTotal: 22,770.00 EUR\n", encoding="utf-8")
    out = to("quote.txt", "--kind", "quote").out
    assert "line 2  Total: 22,770.00 EUR" in out
    assert "Dear all" not in out
    (folder / "shot.txt").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00 12 EUR")
    ended = to("shot.txt", "--kind", "quote")
    assert ended.code == 0
    assert "EUR" not in ended.out


def test_without_an_author_nothing_is_typed_on_nobodys_word_and_that_is_said(folder, to):
    path = folder / "mine" / "fiche.yaml"
    path.write_text(FICHE.replace("author: A. Martin\n", ""), encoding="utf-8")
    ended = to("run.log", "--json")
    assert ended.code == 0
    assert ended.json()["attached"]["pieces"][0]["unvouched"] is True
    text = text_of(folder)
    why = "    # no author vouches for the scope: add author: to the fiche, "
    assert text.index(why) < text.index("    # scope:\n    #   backend: cuda  # line 2\n")
    assert text.count("by:  # who vouches for this") == 1
    (folder / "two.log").write_text(OOM + "\n", encoding="utf-8")
    assert "no author vouches for the scope: add author: to the fiche" in to("two.log").out


def test_the_block_that_is_to_be_uncommented_holds_keys_alone(folder, to):
    """Whoever takes every # away is asked for the values that are missing, and for nothing else."""
    import yaml

    path = folder / "mine" / "fiche.yaml"
    path.write_text(FICHE.replace("author: A. Martin\n", ""), encoding="utf-8")
    to("run.log")
    lines = text_of(folder).splitlines()
    start = lines.index("    # scope:")
    block = [line[6:] for line in lines[start:] if line.startswith("    #")]
    scope = yaml.safe_load("\n".join(block))["scope"]
    assert scope["backend"] == "cuda"
    assert {key for key, value in scope.items() if value is None} == {
        *("gpu", "operation", "attention", "process", "by"),
    }


def test_only_what_is_compared_with_such_a_file_is_to_be_completed(folder, to):
    """Scores are compared by the facts of quality; a device's table by its card and machine."""
    from importers.test_lm_eval_results import results
    from importers.test_vllm_bench import SERVE

    (folder / "scores.json").write_text(json.dumps(results()), encoding="utf-8")
    (folder / "bench.json").write_text(json.dumps(SERVE), encoding="utf-8")
    (folder / "smi.log").write_text(
        "timestamp, index, memory.used [MiB]\n2025/06/03 10:11:00.345, 0, 30000 MiB\n",
        encoding="utf-8",
    )
    told = to("scores.json", "bench.json", "smi.log", "--json").json()["attached"]["pieces"]
    scores, served, device = (piece["to_complete"] for piece in told)
    assert "formats.storage" in scores
    assert not {"attention", "process", "machine", "allocator.backend", "gpu"} & {*scores}
    assert served == []
    assert device == ["gpu", "machine"]


def test_the_same_text_in_another_packing_is_warned_of(folder, to):
    to("run.log")
    (folder / "run.log.gz").write_bytes(gzip.compress(OOM.encode()))
    ended = to("run.log.gz", "--json")
    assert ended.json()["attached"]["pieces"][0]["same_text_as"] == "run"
    (folder / "wide.log").write_bytes(OOM.encode("utf-16"))
    assert "same_text: piece 'run' holds the same text" in to("wide.log").out


def test_the_unredacted_form_of_a_piece_is_warned_of(folder, to):
    log = f"/home/marie/train.py\n{OOM}"
    (folder / "named.log").write_text(log, encoding="utf-8")
    (folder / "other.log").write_text(
        f"{log}{CLASS}{sentence(free='9.00 MiB')}\n", encoding="utf-8"
    )
    assert "same_" not in to("named.log", "other.log", "--redact").out
    assert "same_figures: piece 'named' says the same figures" in to("named.log").out


def test_bom_line_ends_permissions_and_links_are_kept(folder, to):
    real = folder / "real.yaml"
    real.write_bytes(b"\xef\xbb\xbf" + FICHE.replace("\n", "\r\n").encode())
    real.chmod(0o640)
    link = folder / "mine" / "fiche.yaml"
    link.unlink()
    link.symlink_to(real)
    assert to("run.log").code == 0
    content = real.read_bytes()
    assert link.is_symlink()
    assert content.startswith(b"\xef\xbb\xbffiche: 1\r\n")
    assert content.count(b"\n") == content.count(b"\r\n")
    assert real.stat().st_mode & 0o777 == 0o640
    assert b"file: run.log\r\n" in content


def test_a_link_is_the_fiche_that_it_leads_to(folder, fiche):
    """The piece lies beside the fiche that names it, whichever name of the fiche was typed."""
    (folder / "links").mkdir()
    link = folder / "links" / "other.yaml"
    link.symlink_to(folder / "mine" / "fiche.yaml")
    ended = fiche("import", folder / "run.log", "--to", link)
    assert ended.code == 0, ended.err
    assert (folder / "mine" / "pieces" / "run.log").read_text(encoding="utf-8") == OOM
    assert [path.name for path in (folder / "links").iterdir()] == ["other.yaml"]
    assert link.is_symlink()
    for path in (link, folder / "mine" / "fiche.yaml"):
        assert [one["id"] for one in fiche("check", path, "--json").json()["pieces"]] == ["run"]
    again = fiche("import", folder / "run.log", "--to", link)
    assert again.code == 0
    assert text_of(folder).count("run.log") == 1


def test_a_link_in_a_circle_is_refused(folder, fiche):
    link = folder / "circle.yaml"
    link.symlink_to(link)
    ended = fiche("import", folder / "run.log", "--to", link)
    assert (ended.code, ended.err[:5]) == (2, "F318 ")


def test_standard_input_is_kept_up_to_the_length_of_a_piece(folder, to, monkeypatch):
    """What never ends is not kept until the disk is full."""

    class Endless(io.RawIOBase):
        given = 0

        def readable(self):
            return True

        def readinto(self, into):
            self.given += len(into)
            into[:] = b"x" * len(into)
            return len(into)

    source = Endless()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(source)))
    monkeypatch.setattr(attach_read, "PIECE_LIMIT", 3 * 2**20)
    ended = to(Path("-"))
    assert (ended.code, ended.err.splitlines()[0]) == (
        2,
        "F319 standard input is longer than 3 MiB",
    )
    assert source.given <= 4 * 2**20


def test_standard_input_gets_a_name(folder, to, monkeypatch):
    for arguments, name in (([], "stdin-"), (["--name=pasted.log"], "pasted")):
        content = OOM + name
        given = io.TextIOWrapper(io.BytesIO(content.encode()))
        monkeypatch.setattr(sys, "stdin", given)
        ended = to(Path("-"), *arguments)
        assert ended.code == 0, ended.err
        digest = hashlib.sha256(content.encode()).hexdigest()
        stored = "pasted.log" if arguments else f"stdin-{digest[:8]}.log"
        assert (folder / "mine" / "pieces" / stored).read_bytes() == content.encode()


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (FICHE + "pieces: 7\n", "F303"),
        (FICHE + "---\na: 1\n", "F107"),
        (FICHE + "x: &a 1\n", "F105"),
        (FICHE + "x:\n\ty: 1\n", "F103"),
        (FICHE + "pieces: [{id: p, file: absent.log}]\n", "F318"),
    ],
)
def test_a_fiche_that_is_not_valid_is_refused_and_not_changed(folder, to, text, code):
    path = folder / "mine" / "fiche.yaml"
    path.write_text(text, encoding="utf-8")
    before = tree(folder)
    ended = to("run.log")
    assert (ended.code, ended.out) == (2, "")
    assert f"{code} " in ended.err
    assert tree(folder) == before


def test_a_text_that_would_say_something_else_is_refused(folder, to):
    """F481: a line end behind the last line would become a part of it."""
    path = folder / "mine" / "fiche.yaml"
    path.write_text(HEAD + REST + "workload:\n  code:\n    name: |\n      mine", encoding="utf-8")
    before = tree(folder)
    ended = to("run.log")
    assert ended.code == 2
    assert "F481" in ended.err
    assert tree(folder) == before


def test_a_folder_that_leads_elsewhere_is_refused(folder, to):
    (folder / "mine" / "pieces").symlink_to(folder)
    ended = to("run.log")
    assert ended.code == 2
    assert ended.err.startswith("F482 'pieces' leads out")


def test_a_fiche_that_changed_meanwhile_is_not_overwritten(folder, to, monkeypatch):
    monkeypatch.setattr(attach, "_now", lambda target: b"changed")
    before = tree(folder)
    ended = to("run.log")
    assert ended.code == 2
    assert ended.err.startswith("F485 ")
    assert tree(folder) == before


def test_a_name_that_no_fiche_can_hold_is_refused(folder, to):
    path = folder / "mine" / "a\\b.log"
    path.write_text(OOM, encoding="utf-8")
    odd = folder / "mine" / "a\udcff.log"
    odd.write_text(OOM, encoding="utf-8")
    for file in (path, odd):
        ended = to(file)
        assert (ended.code, ended.err[:5]) == (2, "F482 ")


@pytest.mark.parametrize("place", ["run.log", "fiche"])
def test_a_full_disk_leaves_nothing(folder, to, monkeypatch, place):
    whole = output._write

    def full(path, content):
        if (b"CUDA" in content[:90]) == (place == "run.log"):
            whole(path, content[:5])
            raise OSError(28, "No space left on device")
        whole(path, content)

    monkeypatch.setattr(output, "_write", full)
    before = tree(folder)
    ended = to("run.log")
    assert ended.code == 2
    assert re.match(r"F611 \S+ cannot be written: No space left on device\n", ended.err)
    assert ".partial" not in ended.err
    assert tree(folder) == before
    assert sorted(path.name for path in (folder / "mine").iterdir()) == ["fiche.yaml"]


def test_a_fiche_that_cannot_be_replaced_takes_the_new_files_back(folder, to, monkeypatch):
    replace = Path.replace

    def refuse(path, target):
        if Path(target).name == "fiche.yaml":
            raise PermissionError(13, "Permission denied")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refuse)
    before = tree(folder)
    ended = to("run.log")
    assert (ended.code, ended.err[:5]) == (2, "F611 ")
    assert tree(folder) == before
    assert sorted(path.name for path in (folder / "mine").iterdir()) == ["fiche.yaml"]


def test_options_that_do_not_go_together(folder, fiche, to):
    for option in (["--dry-run"], ["--name=x.log"]):
        ended = fiche("import", folder / "run.log", *option)
        assert (ended.code, ended.err[:5]) == (2, "F702 ")
    assert to("run.log", "run.log", "--name", "x").err.startswith("F702 ")


# --- Compared -------------------------------------------------------------------------------------


def test_differences_are_named_and_equal_facts_counted(folder, to):
    path = folder / "mine" / "fiche.yaml"
    shutil.copytree(SERVING / "evidence", folder / "evidence")
    path.write_text(
        HEAD
        + "workload:\n  operation: generation\n  engine: {name: transformers, version: 4.51.0}\n"
        + "  formats: {compute: bfloat16}\n  backend: hip\n"
        + REST,
        encoding="utf-8",
    )
    document = to(folder / "evidence" / "run-limit.json", "--json").json()
    (piece,) = document["attached"]["pieces"]
    assert (
        "engine.version: the fiche says 4.51.0, the file says 5.17.0 (/workload/engine/version)"
        in piece["differs"]
    )
    assert any(
        line.startswith("backend: the fiche says hip, the file says cuda")
        for line in piece["differs"]
    )
    assert not any("formats.compute" in line or "gpu" in line for line in piece["differs"])
    assert piece["agrees"] == 4


def test_a_record_prints_its_scope_and_nothing_is_typed_again(folder, to):
    shutil.copy(SERVING / "evidence" / "run-limit.json", folder / "run-limit.json")
    to("run-limit.json")
    text = text_of(folder)
    assert "    kind: fiche_record\n" in text
    assert "scope" not in text


@pytest.mark.parametrize(
    ("printed", "cards"),
    [
        ("NVIDIA GeForce RTX 4090", {"nvidia-rtx-4090-24g"}),
        ("NVIDIA A100-SXM4-80GB", {"nvidia-a100-sxm4-80g"}),
        ("NVIDIA A100-SXM4-40GB", {"nvidia-a100-sxm4-40g"}),
        ("NVIDIA H100 80GB HBM3", {"nvidia-h100-pcie-80g", "nvidia-h100-sxm5-80g"}),
        ("NVIDIA GeForce RTX 3080", {"nvidia-rtx-3080-10g", "nvidia-rtx-3080-12g"}),
        ("NVIDIA GeForce RTX 3060 Ti", set()),
        ("AMD Instinct MI300X", {"amd-mi300x-192g"}),
        ("GPU", set()),
    ],
)
def test_a_printed_name_stands_for_a_card_for_several_or_for_none(printed, cards):
    assert {card.id for card in cards_printing(printed, builtin_catalog().cards.values())} == cards


# --- Redacted -------------------------------------------------------------------------------------

NAMED = f"/home/anna/venv/lib/torch/nn.py\nHF_TOKEN=hf_{'a' * 34}\n{OOM}anna at 10.1.2.3\n"


def test_a_redacted_piece_says_so_everywhere(folder, to, fiche):
    (folder / "run-anna.log").write_text(NAMED, encoding="utf-8")
    ended = to("run-anna.log", "--redact")
    assert ended.code == 0, ended.err
    assert "redacted: 1 IP address (1 place), 1 token (1 place), 1 user (3 places)" in ended.out
    stored = (folder / "mine" / "pieces" / "run-user-1.log").read_text(encoding="utf-8")
    assert stored.startswith("/home/<user-1>/venv/lib/torch/nn.py\nHF_TOKEN=<token-1>\n")
    assert stored.endswith(f"{OOM}<user-1> at <ip-1>\n")
    assert "    redacted: {ip: 1, token: 1, user: 1}\n" in text_of(folder)
    for word in ("anna", "hf_a", "10.1.2.3"):
        assert word not in ended.out.replace(str(folder / "run-anna.log"), "")
    path = folder / "mine" / "fiche.yaml"
    (piece,) = fiche("check", path, "--json").json()["pieces"]
    assert piece["redacted"] == {"ip": 1, "token": 1, "user": 1}
    assert piece["sha256"] == hashlib.sha256(stored.encode()).hexdigest()
    assert fiche("report", path, "-o", folder / "out", "--formats", "html").code == 0
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "Redacted before it was stored: IP addresses 1, tokens 1, users 1" in page


def test_redaction_of_a_file_in_the_folder_keeps_the_original(folder, to):
    (folder / "mine" / "run.log").write_text(NAMED, encoding="utf-8")
    to(folder / "mine" / "run.log", "--redact")
    assert (folder / "mine" / "run.log").read_text(encoding="utf-8") == NAMED
    assert "file: pieces/run.redacted.log\n" in text_of(folder)


def test_packed_and_wide_text_is_stored_as_plain_text(folder, to):
    import gzip

    (folder / "a.log.gz").write_bytes(gzip.compress(NAMED.encode()))
    (folder / "b.log").write_bytes((NAMED + "b\n").encode("utf-16"))
    assert to("a.log.gz", "b.log", "--redact").code == 0
    for name in ("a.log", "b.log"):
        assert (folder / "mine" / "pieces" / name).read_bytes().startswith(b"/home/<user-1>/")


def test_a_pickle_is_refused_for_redaction(folder, to):
    (folder / "snapshot.pickle").write_bytes(b"\x80\x04}\x94.")
    ended = to("snapshot.pickle", "--redact")
    assert ended.code == 2
    assert "F483" in ended.err
    assert "hint:" in ended.err


def test_redaction_without_a_fiche_shows_the_redacted_reading(folder, fiche):
    (folder / "run.log").write_text(f"/home/anna/x {OOM}", encoding="utf-8")
    ended = fiche("import", folder / "run.log", "--redact", "--json")
    assert ended.code == 0
    assert "anna" not in ended.out


def test_a_secret_is_warned_of_at_import_in_the_check_and_in_the_report(folder, to, fiche):
    (folder / "run.log").write_text(NAMED, encoding="utf-8")
    wanted = "secret_in_file: this looks like a secret: line 2: a Hugging Face token"
    assert wanted in fiche("import", folder / "run.log").out.replace("\n  ", " ")
    ended = to("run.log")
    assert "secret_in_file" in ended.out
    assert "hf_a" not in ended.out
    path = folder / "mine" / "fiche.yaml"
    (piece,) = fiche("check", path, "--json").json()["pieces"]
    assert [one.startswith(wanted) for one in piece["warnings"] if "secret" in one] == [True]
    fiche("report", path, "-o", folder / "out", "--formats", "html")
    assert wanted in (folder / "out" / "report.html").read_text(encoding="utf-8")


# --- Parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a b.log", "a-b.log"),
        ("../x\\y.log", "y.log"),
        ("...", "piece"),
        ("-x.log", "x.log"),
        ("é.txt", "é.txt"),
        ("CON.log", "piece-CON.log"),
        ("aux", "piece-aux"),
        ("nul.tar.gz", "piece-nul.tar.gz"),
        ("com1", "piece-com1"),
        ("LPT³.txt", "piece-LPT³.txt"),
        ("con -.log", "piece-con.log"),
        ("console.log", "console.log"),
        ("com10.log", "com10.log"),
        ("a\udcffb.log", "a-b.log"),
    ],
)
def test_a_stored_name_is_a_plain_one(name, safe):
    assert safe_name(name) == safe


def test_ids_are_made_of_names_and_unlike_others():
    assert free_id("pieces/run 1.log.gz", ["run-1"]) == "run-1-2"
    assert free_id("évidence.log", []) == "vidence"
    assert free_id("...", []) == "piece"


def test_the_diff_is_that_of_diff():
    old, new = "a\nb\nc\nd\n", "a\nb\nx\ny\nc\nd"
    assert diff_lines(old, new, "f") == [
        *("--- f", "+++ f", "@@ -1,4 +1,6 @@", " a", " b"),
        *("+x", "+y", " c", "-d", "+d", "\\ No newline at end of file"),
    ]
    assert diff_lines(old, old, "f") == []
    shown = painted(diff_lines(old, new, "f"), colour=True)
    assert "\x1b[32m+x\x1b[0m\n\x1b[32m+y\x1b[0m\n" in shown
    assert painted([" \x1b[2Jx"], colour=False) == " [2Jx\n"
