"""What storages are for, where a program does more than register parameters."""

import json

import pytest

pytestmark = pytest.mark.torch


def run(program):
    from fiche.simulate.simulated import run

    return run(program)


def kinds(phase):
    found = {}
    for group in phase.groups:
        found[group.kind] = found.get(group.kind, 0) + group.num_bytes
    return found


def test_a_parameter_that_is_given_other_values_is_still_one():
    """As peft does where it widens what is not quantised."""

    def program(rec):
        import torch

        with rec.phase("model_init"):
            layer = torch.nn.Linear(1024, 1024, bias=False, device="cuda", dtype=torch.bfloat16)
            layer.weight.data = layer.weight.data.float()
        with rec.phase("inputs"):
            torch.empty(1024, device="cuda")
        return layer

    phases = list(run(program).phases())
    assert kinds(phases[1])["parameter"] == 4 * 2**20


def test_a_generation_runs_to_its_longest_and_says_so(tmp_path):
    from measure.tiny_models import CONFIGS

    seen = []

    def program(rec):
        import torch
        from transformers import AutoConfig, AutoModelForCausalLM

        (tmp_path / "config.json").write_text(json.dumps(CONFIGS["llama"]))
        config = AutoConfig.from_pretrained(tmp_path)
        with torch.device("cuda"):
            model = AutoModelForCausalLM.from_config(config)
        ids = torch.randint(0, 99, (2, 8), device="cuda")
        mask = torch.ones_like(ids)
        seen.append(model.generate(ids, attention_mask=mask, max_new_tokens=5).shape)

    simulation = run(program)
    assert seen == [(2, 13)]
    assert "the token that ends a sequence" in {each["asked"] for each in simulation.answers}
