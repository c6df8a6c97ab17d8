"""The least that can be kept, against ten public shapes and published figures."""

from fractions import Fraction

import pytest
import cache_shapes as shapes
from workloads import GIB, case, workload

from fiche.estimators.engines.ideal import MEMBER
from fiche.kernel.trace import conditions, walk

MIB = 2**20


def cache(shape, tokens, sequences=1, **told):
    where = case(context_tokens=tokens, resident_sequences=sequences)
    load = shapes.of(workload(where, formats__cache="bf16", **told), shape)
    return {node.id: node for node in MEMBER.cache(shape, load, where)}


def kept(shape, tokens, item="kv_cache", sequences=1):
    node = cache(shape, tokens, sequences)[f"limit.{item}"]
    assert node.exact
    return node.low


@pytest.mark.parametrize(
    ("shape", "at_8k", "at_128k"),
    [
        (shapes.LLAMA_8B, "1.000", "16.0"),
        (shapes.QWEN25_7B, "0.438", "7.0"),
        (shapes.QWEN3_4B, "1.125", "18.0"),
        (shapes.MISTRAL_V01, "0.500", "0.5"),
        (shapes.MIXTRAL, "1.000", "16.0"),
        (shapes.DEEPSEEK_V3, "0.536", "8.58"),
        (shapes.GEMMA3_27B, "1.031", "10.41"),
        (shapes.GPT_OSS_120B, "0.286", "4.50"),
        (shapes.QWEN3_NEXT, "0.188", "3.0"),
        (shapes.NEMOTRON_H_8B, "0.125", "2.0"),
    ],
)
def test_ten_architectures_at_two_contexts(shape, at_8k, at_128k):
    """peers_run.md section 3: ground truth, GiB in bf16."""
    for tokens, printed in ((8192, at_8k), (131_072, at_128k)):
        half = Fraction(1, 2 * 10 ** len(printed.split(".")[1]))
        assert abs(Fraction(kept(shape, tokens), GIB) - Fraction(printed)) <= half
