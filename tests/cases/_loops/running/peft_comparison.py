"""Steps of peft's method comparison: a model of transformers, any peft configuration, batches of one length.

Source: huggingface/peft, method_comparison/MetaMathQA/run.py: gradients go at the begin of a step, the model
computes its loss itself, outputs stay named until the next step has its own, gradients are clipped.
"""

import warnings

import torch

from _loops.running.generation import language


class Steps:
    """Two steps on the longest batch."""

    def __init__(self, config, dtype, peft, learned, rows, tokens):
        self.language = language(config, dtype)
        self.peft, self.learned = peft, learned
        self.rows, self.tokens, self.words, self.outputs = rows, tokens, {}, None

    def prepare(self, rec, place):
        """Make the model, and what it learns."""
        self.place = place
        with rec.phase("model_init"):
            self.model = self.adapted(self.language.made(place)).train()
        found = [each for each in self.model.parameters() if each.requires_grad]
        count = sum(each.numel() for each in found)
        if count != self.learned:
            raise ValueError(f"{count} values are learned so, and the case says {self.learned}")
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, foreach=True)

    def adapted(self, model):
        """The model with the adapters of the case, or as it is."""
        if not self.peft:
            return model
        import peft

        kind = peft.PEFT_TYPE_TO_CONFIG_MAPPING[self.peft["peft_type"]]
        told = {key: value for key, value in self.peft.items() if key != "peft_type"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return peft.get_peft_model(model, kind(task_type="CAUSAL_LM", **told))

    def turn(self, rec, _turn):
        """Both steps."""
        for passed in ("first", "later"):
            with rec.phase("step", pass_=passed):
                self.step()

    def step(self):
        """One batch, its loss, its update."""
        ids = torch.ones(self.rows, self.tokens, dtype=torch.int64, device=self.place)
        mask, labels = torch.ones_like(ids), ids.clone()
        self.optimizer.zero_grad()
        count = self.rows * self.tokens
        self.outputs = self.model(
            input_ids=ids, attention_mask=mask, labels=labels, num_items_in_batch=count
        )
        self.outputs.loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def steps(**arguments):
    """The loop of programs.peft_comparison."""
    return Steps(**arguments)
