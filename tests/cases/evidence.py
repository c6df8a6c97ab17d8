"""Evidence samples: NAME.ext and NAME.expected.json, as `cases/evidence/README.md` describes them.

Compared is what its "What a test can compare" lists. A format that fiche does not read yet counts as
failed, with the refusal named.
"""

import hashlib
import json

FAILURE_KEYS = (
    "line",
    "message_kind",
    "memory",
    "backend",
    "device_index",
    "rank",
    "library",
    "component",
    "count",
    "recovered",
    "truncated",
)
OBSERVATION_KEYS = ("counter", "stat", "scope", "device_index", "rank")
NUMBERS = ("bytes", "low", "high", "unit_bytes")


def add_options(parser):
    parser.add_argument("--only", default="", help="names that start with this")
    parser.add_argument("--kinds", default="", help="kinds of evidence, with commas between")


def run(folder, options):
    """Yield (name, complaints) for every sample of a folder."""
    wanted = {kind for kind in options.kinds.split(",") if kind}
    for expectation in sorted(folder.glob("*.expected.json")):
        name = expectation.name.removesuffix(".expected.json")
        expected = json.loads(expectation.read_text(encoding="utf-8"))
        if name.startswith(options.only) and (not wanted or expected["kind"] in wanted):
            yield name, complaints(folder, name, expected)


def complaints(folder, name, expected):
    """What differs between the reading of one sample and what is expected of it."""
    files = [p for p in folder.glob(f"{name}.*") if p.name != f"{name}.expected.json"]
    if len(files) != 1:
        return [f"{len(files)} files of evidence beside the expectation"]
    try:
        piece, refusal = read(files[0])
    except Exception as error:  # noqa: BLE001 - a defect of the reader is a complaint like any other
        return [f"the reader broke: {type(error).__name__}: {error}"]
    if piece is None:
        return refused(expected, refusal)
    if expected.get("refuse"):
        return [f"read, but must be refused ({expected['refuse_reason']})"]
    return list(differences(piece, expected))


def read(path):
    """Read one file; return (piece as JSON, None) or (None, its refusal)."""
    from fiche.importers._detect import read as read_any
    from fiche.importers._vocabulary import piece_json
    from fiche.kernel.diagnostic import Refused

    content = path.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    try:
        reading = read_any(content, sha256, path.name)
    except Refused as refusal:
        return None, str(refusal)
    return piece_json(path.name, sha256, len(content), reading), None


def refused(expected, refusal):
    """A refusal is right where it is expected for what is in the file, not for an unread format."""
    if not expected.get("refuse"):
        return [f"refused: {refusal}"]
    if refusal.startswith(("F420", "F421", "F424", "F454")):
        return [f"refused, but for another reason than {expected['refuse_reason']}: {refusal}"]
    return []


def differences(piece, expected):
    for key in ("kind", "failed", "duplicate_messages"):
        yield from differs(key, piece[key], expected[key])
    yield from differs("number of failures", len(piece["failures"]), len(expected["failures"]))
    for place, (mine, other) in enumerate(
        zip(piece["failures"], expected["failures"], strict=False), 1
    ):
        for complaint in failure_differences(mine, other):
            yield f"failure {place}: {complaint}"
    yield from observation_differences(piece["observations"], expected["observations"])
    yield from needs(piece, expected)
    if expected["warnings"] and not piece["warnings"]:
        yield f"says nothing where {', '.join(expected['warnings'])} should be said"


def differs(what, mine, other):
    if mine != other:
        yield f"{what} is {mine!r}, expected {other!r}"


def failure_differences(mine, other):
    for key in FAILURE_KEYS:
        if key in other:
            yield from differs(key, mine.get(key), other[key])
    quantities = {k for f in (mine, other) for k, v in f.items() if isinstance(v, dict)}
    for key in sorted(quantities):
        yield from quantity_differences(key, mine.get(key), other.get(key))
    listed = [failure.get("other_processes", []) for failure in (mine, other)]
    pids = [[process["pid"] for process in some] for some in listed]
    yield from differs("other processes", *pids)
    if pids[0] == pids[1]:
        for one, two in zip(*listed, strict=True):
            yield from quantity_differences(f"process {one['pid']}", one["in_use"], two["in_use"])
    if mine.get("is_need") or mine.get("phase_known"):
        yield "claims to be a need, or to know its phase"


def quantity_differences(key, mine, other):
    if mine is None or other is None:
        yield from differs(key, shown(mine), shown(other))
        return
    yield from differs(f"{key} unavailable", mine.get("unavailable"), other.get("unavailable"))
    for number in NUMBERS:
        if number in other:
            yield from differs(f"{key} {number}", mine.get(number), other[number])


def shown(quantity):
    return None if quantity is None else quantity.get("printed")


def observation_differences(mine, other):
    """Every expected measurement must be there; more may be read only if it is measured."""
    measured = [o for o in other if o["origin"] in ("measured", "runtime_reported")]
    left = [key_of(o) for o in mine]
    for expected in measured:
        key = key_of(expected)
        if key in left:
            left.remove(key)
        else:
            yield f"observation missing: {key}"


def key_of(observation):
    value = observation["value"]
    if isinstance(value, dict):
        value = tuple(value.get(k) for k in ("bytes", "low", "high")) if "bytes" in value else None
    return (*(observation.get(k) for k in OBSERVATION_KEYS), value)


def needs(piece, expected):
    """Nothing that is no evidence, and no failure, may be read as an observed need."""
    for text in expected["not_observed"]:
        for observation in piece["observations"]:
            value = observation["value"]
            printed = value.get("printed") if isinstance(value, dict) else None
            if printed and printed in text["text"] and observation["stat"] in ("peak", "need"):
                yield f"{printed} is no evidence ({text['why']}), but read as {observation['counter']}"
    for observation in piece["observations"]:
        if observation["stat"] == "need" or observation["origin"] not in (
            "measured",
            "runtime_reported",
        ):
            yield f"{observation['counter']} is read as a need"
