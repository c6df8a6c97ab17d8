"""Two ranks of one run, each with a record of its own, as two processes on two cards write them."""

import copy
import hashlib
import json

from importers.records import FAILED, RECORD

from fiche.importers._record_form import form
from fiche.importers._record_merge import RankRecord, merged


def rank(number, change=None, world=2, device=None):
    """The record of one rank; each calls its device as the launcher numbers it."""
    document = copy.deepcopy(RECORD)
    local = number if device is None else device
    document["series"] |= {
        "id": f"run-1-rank{number}",
        "run": "run-1",
        "rank": {"rank": number, "world": world, "local_rank": local, "node": "0"},
    }
    document["series"]["process"]["pid"] = 100 + number
    document["workload"]["placement"] = {
        "devices": world,
        "resident": "all",
        "split": "tensor_parallel",
    }
    only = document["environment"]["devices"][0]
    only |= {"index": local, "uuid": f"GPU-{number}"}
    serve = document["phases"][1]
    serve["pass"] = "first"
    serve["covers"] = ["model_load", "prefill", "decode"]
    for phase in document["phases"]:
        phase["devices"][0]["device"] = f"cuda:{local}"
    serve["devices"][0]["process_device_bytes"]["peak"] += number * 1_000_000
    if change is not None:
        change(document)
    return document


def failed(document):
    """The same, but its whole loop failed for want of memory."""
    serve = document["phases"][1]
    device = serve["devices"][0]["device"]
    serve |= {"outcome": "failure", "error": copy.deepcopy(FAILED["error"])}
    serve["devices"] = [{"device": device, "peak": {"reserved_bytes": 23_000_000_000}}]
    serve.pop("output_check")


def put_together(*documents):
    """The merged document; every argument is a document or the bytes of a record."""
    return merged([_taken(place, each) for place, each in enumerate(documents)])


def _taken(place, document):
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    sha256 = hashlib.sha256(content).hexdigest()
    found = form(content.decode(), sha256)
    return RankRecord(
        document=found.document,
        unfinished=[phase for phase, _ in found.unfinished],
        sha256=sha256,
        name=f"r{place}.json",
    )
