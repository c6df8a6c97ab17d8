"""Published peaks of runs against simulations: lines of JSON, as `cases/truth/README.md` describes them.

A case becomes a simulation of what its conditions say and nothing else: the loop of the program that ran,
over the model's own configuration. Where they do not suffice it is not covered, and the reason is said. A
case passes where the simulated peak is within the aim: 1 % of an inference's allocated peak, 5 % of a
training's; other counters have no aim of their own and are held to the same. A run that can only be given its
largest length is a ceiling: it passes where it is not below what was observed by more than the aim, and is no
error.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
NOT_COVERED = "not covered"
_AIMS = {"inference": 0.01, "training": 0.05}
_MEASURED = ("peak", "steady", "component")
_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}

sys.path.insert(0, str(HERE))


def add_options(parser):
    parser.add_argument("--only", default="", help="ids or families that start with this")
    parser.add_argument("--limit-seconds", type=int, default=300, help="for each simulation")
    parser.add_argument("--processes", type=int, default=2, choices=(1, 2), help="at a time")
    parser.add_argument("--json", type=Path, help="write what was found there, too")


def run(path, options):
    """Yield (id, complaints, said) for every measured case, then one line a group of counters."""
    found = []
    for case, plan, outcome in simulations(list(cases(path, options)), options):
        one = judged(case, plan, outcome)
        found.append(one)
        yield one["name"], one["complaints"], one["said"]
    for told in summary(found):
        print(told)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def cases(path, options):
    """The measured cases of a file or a folder that were asked for."""
    for file in [path] if path.is_file() else sorted(path.glob("peaks*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            named = (case["id"], case["family"])
            if case["kind"] in _MEASURED and any(one.startswith(options.only) for one in named):
                yield case


def planned(case):
    """The plan of a case, or why there is none."""
    from _loops.plans import UncoveredError
    from _loops.programs import plan_of

    try:
        return plan_of(case)
    except UncoveredError as why:
        return str(why)


def simulations(asked, options):
    """Each case with its plan and what the simulation said; equal plans share one process."""
    with ThreadPoolExecutor(options.processes) as pool:
        plans, jobs = [planned(case) for case in asked], {}
        for plan in plans:
            if not isinstance(plan, str) and plan.key() not in jobs:
                jobs[plan.key()] = pool.submit(simulated, plan, options.limit_seconds)
        for case, plan in zip(asked, plans, strict=True):
            yield case, plan, None if isinstance(plan, str) else jobs[plan.key()].result()


def simulated(plan, limit_seconds):
    """What a process of its own says of a plan; a sentence where it says nothing."""
    command = [sys.executable, str(HERE / "_loops" / "child.py")]
    path = os.pathsep.join([str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")])
    try:
        ended = subprocess.run(
            command,
            input=plan.as_json(),
            capture_output=True,
            text=True,
            check=False,
            timeout=limit_seconds,
            env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": path},
        )
    except subprocess.TimeoutExpired:
        return f"over {limit_seconds} s"
    if ended.returncode:
        return (ended.stderr.strip().splitlines() or ["it said nothing"])[-1]
    return json.loads(ended.stdout)


def judged(case, plan, outcome):
    """One case: its name, its complaints, what was said, and its signed error where it has one."""
    one = {"id": case["id"], "family": case["family"], "model": case["model"], "said": ""}
    one["name"] = f"{case['id']} ({case['family']}, {case['model']})"
    one |= {"confidence": case["confidence"], "complaints": [], "error": None, "group": None}
    if isinstance(plan, str):
        return one | {"complaints": [f"{NOT_COVERED}: {plan}"]}
    one |= {"program": plan.program, "operation": plan.operation, "counter": plan.counter}
    one["at_most"] = plan.at_most
    if isinstance(outcome, str):
        return one | {"complaints": [f"broke: {plan.said}: {outcome}"]}
    num_bytes, where = reached(plan, outcome)
    if num_bytes is None:
        return one | {"complaints": [f"{NOT_COVERED}: nothing replays the {plan.counter} bytes"]}
    error = signed_error(num_bytes, case["expected"])
    one |= {"simulated_bytes": num_bytes, "error": error, "phase": where}
    said = f"{100 * error:+.2f} % {plan.counter}, {num_bytes} B in {where}: {plan.said}"
    said += "".join(f"; {each}" for each in (*plan.differs, plan.at_most) if each)
    aim = _AIMS[plan.operation]
    short = error < -aim if plan.at_most else abs(error) > aim
    return one | ({"complaints": [said]} if short else {"said": said})


def reached(plan, outcome):
    """The bytes that the published figure counts, and the phase they were reached in."""
    counted = [one for one in outcome["phases"] if not plan.phases or one["name"] in plan.phases]
    values = [
        (one[plan.counter][plan.counts], one["name"]) for one in counted if plan.counter in one
    ]
    if not values:
        return None, ""
    return values[-1] if plan.counts == "end" else max(values)


def signed_error(num_bytes, expected):
    """Of the reading that is nearest; nothing within the printed digits' rounding."""
    readings = [expected["bytes"], expected.get("bytes_if_binary") or expected["bytes"]]
    half = expected["rounding_half_unit_bytes"] or 0
    return min((off(num_bytes, reading, half) for reading in readings), key=abs)


def off(num_bytes, reading, half):
    """How far from the nearest value that a printed one may stand for, over the printed one."""
    nearest = min(max(num_bytes, reading - half), reading + half)
    return (num_bytes - nearest) / reading


def summary(found):
    """Coverage; then, by operation, counter and confidence, signed errors, under- and over-estimates apart."""
    covered = [one for one in found if one["error"] is not None]
    yield f"{len(covered)} of {len(found)} simulated"
    groups = defaultdict(list)
    for one in covered:
        kind = "ceiling" if one["at_most"] else one["operation"]
        groups[kind, one["counter"], one["confidence"]].append(one["error"])
    for key, errors in sorted(groups.items()):
        yield f"{', '.join(key)} confidence: {told_errors(errors)}"
    families = defaultdict(list)
    for one in found:
        families[one["family"]].append(one["error"])
    for family, errors in families.items():
        known = [each for each in errors if each is not None]
        line = f"  {family}: {len(known)} of {len(errors)}"
        yield line + (f", {told_errors(known)}" if known else "")


def told_errors(errors):
    """Counts, range and medians of signed errors."""
    line = f"{len(errors)}, median {100 * median(errors):+.2f} %"
    line += f", median size {100 * median(map(abs, errors)):.2f} %"
    for name, part in (
        ("under", [e for e in errors if e < 0]),
        ("over", [e for e in errors if e > 0]),
    ):
        if part:
            worst = max(part, key=abs)
            line += f"; {name} {len(part)}, median {100 * median(part):+.2f} %, worst {100 * worst:+.2f} %"
    return line
