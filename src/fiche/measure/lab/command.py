"""The command line: calculation, environment, measurement.

It ends with 0; 2 where it refuses, with one sentence and nothing written; 3 where the workload failed,
its record kept; 130 where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from fiche.measure.lab.estimate import estimate_text, grouped, reserve_bytes
from fiche.measure.protocol.dense import DIMENSIONS, DTYPES, DenseNetwork
from fiche.measure.protocol.devices import NoDevice, find_devices
from fiche.measure.protocol.found import UnknownDevice, found_environment
from fiche.measure.protocol.found_rows import device_rows, environment_rows
from fiche.measure.protocol.heading import FRESH, identifier
from fiche.measure.protocol.journal import journal_of
from fiche.measure.protocol.recorder import recorder
from fiche.measure.protocol.tool import VERSION
from fiche.measure.protocol.turns import ORDERINGS, POLICIES, measured

PLAIN_DIGITS = re.compile(r"(0|[1-9][0-9]{0,29})(\.[0-9]{1,29})?")
# Two thousand and forty-eight, or a little over two: two halves of the world read it differently.
TWO_READINGS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
MACHINE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
DONE, REFUSED, FAILED, INTERRUPTED = 0, 2, 3, 130


def main(words: list[str] | None = None, script: str | None = None) -> int:
    """Run one command and return its exit code.

    `script` is the text of this script where it lies in no file, as in a notebook: measurements are
    made by fresh processes that run it.
    """
    asked = _parser().parse_args(words)
    try:
        code: int = asked.command(asked, script)
    except (NoDevice, UnknownDevice) as refusal:
        return _refused(str(refusal))
    except OSError as error:
        return _refused(f"{error.filename or 'the system'}: {error.strerror or error}")
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _refused(sentence: str) -> int:
    sys.stderr.write(" ".join(sentence.split()) + "\n")
    return REFUSED


# --- Arguments --------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="fiche_lab.py",
        description="Calculate memory, look at the environment, measure a small dense network.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"fiche lab {VERSION}")
    below = top.add_subparsers(metavar="COMMAND", required=True)
    for name, words, options in (
        ("estimate", "weights and an assumed reserve, by arithmetic", _estimate_options),
        (
            "environment",
            "device, driver, PyTorch, allocator, and what is missing",
            _environment_options,
        ),
        ("measure", "measure a small dense network on a GPU", _measure_options),
    ):
        options(below.add_parser(name, help=words, description=words, allow_abbrev=False))
    return top


def _estimate_options(options: argparse.ArgumentParser) -> None:
    options.add_argument("--parameters", type=positive, required=True, metavar="COUNT")
    options.add_argument("--bits", type=positive, required=True, metavar="COUNT")
    reserve = options.add_mutually_exclusive_group()
    reserve.add_argument(
        "--reserve-gib", type=_amount, metavar="GIB", help="assumed, 2^30 bytes each"
    )
    reserve.add_argument(
        "--reserve-gb", type=_amount, metavar="GB", help="assumed, 10^9 bytes each"
    )
    options.set_defaults(command=_estimate)


def _environment_options(options: argparse.ArgumentParser) -> None:
    _where(options, "every visible one")
    options.add_argument("--json", action="store_true", help="print one JSON object")
    options.set_defaults(command=_environment)


def _where(options: argparse.ArgumentParser, otherwise: str) -> None:
    options.add_argument("--device", metavar="NAME", help=f"cuda:0, xpu:0; {otherwise} if left out")
    options.add_argument(
        "--machine", type=_id, default="", metavar="ID", help="what a fiche calls this machine"
    )


def _card(text: str) -> str:
    if text != text.lower():
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no id of a card: those are lower case")
    return _id(text)


def _id(text: str) -> str:
    """As the formats have it, or none: a record that no fiche can read would be found out at home."""
    if text and MACHINE_ID.fullmatch(text) is None:
        message = f"{text[:60]!r} is no id: letters, digits, '.', '_' and '-'"
        raise argparse.ArgumentTypeError(message)
    return text


def _measure_options(options: argparse.ArgumentParser) -> None:
    _where(options, "the current one")
    for name, usual in DIMENSIONS.items():
        options.add_argument(f"--{name}", type=positive, default=usual, metavar="COUNT")
    options.add_argument("--dtype", choices=DTYPES, default=DTYPES[0])
    options.add_argument("--warmup", type=whole_number, default=3, metavar="COUNT")
    options.add_argument("--repeats", type=whole_number, default=5, metavar="COUNT")
    options.add_argument("--empty-cache", choices=_dashed(POLICIES), default=_dashed(POLICIES)[0])
    options.add_argument("--ordering", choices=(*_dashed(ORDERINGS), "both"), default="both")
    options.add_argument("--output", type=Path, required=True, metavar="FILE", help="a new file")
    options.add_argument(
        "--gpu", type=_card, default="", metavar="ID", help="the card's id in a fiche catalog"
    )
    options.add_argument("--run", default="", help=argparse.SUPPRESS)
    options.set_defaults(command=_measure)


def _dashed(words: tuple[str, ...]) -> list[str]:
    return [word.replace("_", "-") for word in words]


def positive(text: str) -> int:
    """A count from 1, in plain digits."""
    count = whole_number(text)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is below 1")
    return count


def whole_number(text: str) -> int:
    """A count from 0, in plain digits: no sign, no exponent, no separators."""
    if PLAIN_DIGITS.fullmatch(text) is None or "." in text:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no whole number in plain digits")
    return int(text)


def _amount(text: str) -> Fraction:
    if PLAIN_DIGITS.fullmatch(text) is None or TWO_READINGS.fullmatch(text) is not None:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is no number with one reading")
    whole, _, decimals = text.partition(".")
    return Fraction(int(whole + decimals), 10 ** len(decimals))


# --- Calculation, environment -----------------------------------------------------------------


def _estimate(asked: argparse.Namespace, script: str | None) -> int:
    reserve = 0
    if asked.reserve_gib is not None:
        reserve = reserve_bytes(asked.reserve_gib, 2**30)
    elif asked.reserve_gb is not None:
        reserve = reserve_bytes(asked.reserve_gb, 10**9)
    sys.stdout.write(estimate_text(asked.parameters, asked.bits, reserve))
    return DONE


def _environment(asked: argparse.Namespace, script: str | None) -> int:
    """What is here and what is missing; that something is missing is no failure (F2)."""
    found = found_environment(asked.device, asked.machine)
    if asked.json:
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return DONE
    rows = list(environment_rows(found))
    for device in found["environment"].get("devices", ()):
        rows += device_rows(found, device)
    widest = max(len(label) for label, _ in rows)
    lines = [f"{label.ljust(widest)}  {text}" for label, text in rows]
    lines += [
        f"Missing: {lack['what']}. Try: {lack['command']}" for lack in found.get("missing", ())
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return DONE


# --- Measurement ------------------------------------------------------------------------------


def _measure(asked: argparse.Namespace, script: str | None) -> int:
    """One series here where an ordering is named; else both, each in a fresh process (C7, C8)."""
    if asked.ordering != "both":
        return _one_series(asked)
    paths = {ordering: series_path(asked.output, ordering) for ordering in ORDERINGS}
    for path in paths.values():
        for taken in (path, journal_of(path)):
            if os.path.lexists(taken):
                return _refused(
                    f"{taken} exists, and no measurement is overwritten: choose another name"
                )
    run = asked.run or identifier(f"{asked.output.stem[:60]}-{os.urandom(6).hex()}")
    worst = DONE
    for ordering, path in paths.items():
        words = ["--ordering", ordering.replace("_", "-"), "--output", str(path)]
        code = fresh([*_again(asked, run), *words], script)
        if code < 0:
            sys.stderr.write(
                f"signal {-code} ended it; {journal_of(path)} holds what was finished\n"
            )
            code = FAILED
        if code not in (DONE, FAILED):
            return code
        worst = max(worst, code)
    return worst


def series_path(output: Path, ordering: str) -> Path:
    """`m.json` by phases, `m.whole.json` for the whole loop."""
    if ordering == "phased":
        return output
    return output.with_name(f"{output.stem}.whole{output.suffix}")


def _again(asked: argparse.Namespace, run: str) -> list[str]:
    """The same command for another process."""
    words = ["measure", "--run", run]
    for name in ("batch", "context", "width", "dtype", "warmup", "repeats", "empty_cache"):
        words += [f"--{name.replace('_', '-')}", str(getattr(asked, name))]
    for name in ("device", "machine", "gpu"):
        if getattr(asked, name):
            words += [f"--{name}", getattr(asked, name)]
    return words


def fresh(words: list[str], script: str | None) -> int:
    """Run this script in a new process, as isolated as this one; its exit code.

    A script in a notebook goes in by standard input, and what is said comes back to the notebook.
    """
    flags = ["-I"] * sys.flags.isolated + ["-S"] * sys.flags.no_site
    sys.stdout.flush()
    if script is None:
        here = str(Path(__file__).resolve())
        return subprocess.run([sys.executable, *flags, here, *words], check=False).returncode
    command = [sys.executable, *flags, "-", *words]
    ended = subprocess.run(
        command, input=script, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    sys.stdout.write(ended.stdout)
    sys.stderr.write(ended.stderr)
    return ended.returncode


def _one_series(asked: argparse.Namespace) -> int:
    # In this order nothing is written where there is nothing to measure with.
    devices = find_devices(asked.device)
    dimensions = {name: getattr(asked, name) for name in ("batch", "context", "width", "dtype")}
    network = DenseNetwork(dimensions)
    counts = {
        "warmups": asked.warmup,
        "repeats": asked.repeats,
        "empty_cache": asked.empty_cache.replace("-", "_"),
    }
    told = {
        "machine": asked.machine,
        "gpu": asked.gpu,
        "run": asked.run,
        "protocol": FRESH,
        **counts,
    }
    rec = recorder(asked.output, device=devices, workload=network.words, **told)
    code = DONE
    try:
        measured(rec, network, ordering=asked.ordering.replace("-", "_"), **counts)
    except Exception as error:
        if isinstance(error, OSError) and str(error.filename) == str(journal_of(rec.path)):
            raise
        code = _failed(error)  # whatever the workload raises is an observation (C11)
    finally:
        rec.close()
    sys.stdout.write(f"{rec.path}\n{record_text(rec.document())}\n")
    return code


def _failed(error: Exception) -> int:
    lines = str(error).strip().splitlines()
    sys.stderr.write(f"{type(error).__name__}: {lines[0][:500] if lines else ''}\n")
    return FAILED


# --- A record in the terminal -----------------------------------------------------------------


def record_text(document: dict[str, Any]) -> str:
    """What a record shows, a line per phase and device, in bytes: two peaks, two columns (C3)."""
    rows = [("phase", "pass", "outcome", "ms", "device", "allocated peak, B", "reserved peak, B")]
    for phase in document["phases"]:
        took = grouped(phase["duration_ns"] // 10**6) if "duration_ns" in phase else "not read"
        covered = f" ({', '.join(phase['covers'])})" if "covers" in phase else ""
        head = (phase["name"] + covered, phase["pass"], phase["outcome"], took)
        for read in phase.get("devices", ()):
            peak = read.get("peak", {})
            peaks = (_or_absent(peak, "allocated_bytes"), _or_absent(peak, "reserved_bytes"))
            rows.append((*head, read["device"], *peaks))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(row[place].ljust(widths[place]) for place in range(len(row))) for row in rows
    ]
    return "\n".join(line.rstrip() for line in (*lines, *UNDER_A_RECORD)) + "\n"


def _or_absent(levels: dict[str, int], counter: str) -> str:
    """A reading, or that there is none: never zero in its place (C2)."""
    return grouped(levels[counter]) if counter in levels else "not read"


UNDER_A_RECORD = (
    "Peaks are absolute, and two peaks need not be one instant.",
    "This network says nothing about any other model.",
)
