"""Listings may be anything (law 7): rows add up or the file is refused, and nothing else is raised."""

import json
import random

import pytest
from market.listings import adds_up, cards

from fiche.kernel.diagnostic import Refused
from fiche.kernel.listing import Asked
from fiche.market._room import formats, imported, listing_of

WORDS = (
    "",
    "0",
    "-1",
    "1e99",
    "nan",
    "24",
    "24564",
    "A100",
    "null",
    "True",
    "[]",
    "{",
    "\x00",
    "é",
    '"',
    "9" * 40,
)
FILES = {
    "gpuhunt": "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot\n"
    "i1,FR,0.80,4,64.0,1,L4,24.0,False\ni2,FR,0.80,4,64.0,2,A100,80.0,True\n",
    "skypilot": "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region\n"
    "1x-H200,H200,1,32,64.0,\"{'Gpus': [{'Name': 'H200', 'MemoryInfo': {'SizeInMiB': 143771}}]}\",2.65,0.00,"
    "FR\n",
    "dstack": json.dumps(
        {
            "offers": [
                {
                    "backend": "aws",
                    "region": "x",
                    "instance_type": "y",
                    "resources": {"gpus": [{"name": "L4", "memory_mib": 24576}]},
                    "price": 0.8,
                }
            ]
        }
    ),
    "vast": json.dumps(
        {"offers": [{"gpu_name": "L4", "num_gpus": 1, "gpu_ram": 23034, "dph_total": 0.3}]}
    ),
    "runpod": json.dumps(
        {"data": {"gpuTypes": [{"displayName": "L4", "memoryInGb": 24, "securePrice": 0.4}]}}
    ),
    "lium": json.dumps(
        {
            "generated_at": "2026-09-10T07:37:02Z",
            "nodes": [
                {"gpu_model": "L4", "gpu_count": 8, "price_per_gpu_hour": 0.4, "gpu_memory_gb": 24}
            ],
        }
    ),
    "columns": "m,p\nL4,0.7\n",
}
COLUMNS = {"seller": "E", "gpu_name": "{m}", "price.amount": "{p} EUR"}


def mutated(text, chance):
    """A piece of the file replaced by a word, removed, or said twice."""
    for _ in range(chance.randrange(1, 5)):
        start = chance.randrange(len(text))
        end = min(len(text), start + chance.randrange(0, 9))
        text = text[:start] + chance.choice((*WORDS, text[start:end] * 2)) + text[end:] or "x"
    return text


@pytest.mark.parametrize("kind", sorted(FILES))
def test_any_bytes(kind):
    chance = random.Random(kind)
    for _ in range(300):
        content = mutated(FILES[kind], chance).encode("utf-8", "surrogatepass")
        if chance.random() < 0.1:
            content = content[: chance.randrange(len(content) + 1)] + b"\xff"
        asked = Asked(
            file="f",
            folder="cloud",
            sha256="0" * 64,
            cards=cards(),
            currency="USD",
            source="x",
            columns=COLUMNS if kind == "columns" else {},
        )
        try:
            found = imported(content, listing_of(content, "f", kind), asked)
        except Refused:
            continue
        assert adds_up(found)
        assert all(offer["price.amount"] and offer["gpu"] for offer in found.offers)


def test_each_format_is_tried():
    assert set(FILES) == set(formats())
