"""BERT and encoders with its layer: published counts by class, and no cache (A1, C1)."""

from families.decoders import model, parameters
from families.hybrids import stored_besides

BASE = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
}
LARGE = {
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
}
SMALL = {
    "hidden_size": 384,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
}


def bert(kind, **more):
    return model("bert", architectures=[kind], vocab_size=30522, **more)


def test_the_class_decides_the_heads():
    assert parameters(bert("BertModel", **BASE)) == 109_482_240
    assert parameters(bert("BertForPreTraining", **BASE)) == 110_106_428
    assert parameters(bert("BertForPreTraining", **LARGE)) == 336_226_108
    cased = model("bert", architectures=["BertForPreTraining"], vocab_size=28996, **BASE)
    assert parameters(cased) == 108_932_934


def test_position_ids_may_be_stored_beside_the_parameters():
    found = bert("BertModel", **SMALL)
    assert parameters(found) == 33_360_000  # bge-small-en-v1.5: its file holds 512 more
    assert stored_besides(found) == (0, 512)


def test_relatives_with_its_layer():
    roberta = {**BASE, "max_position_embeddings": 514, "type_vocab_size": 1}
    masked = model("roberta", architectures=["RobertaForMaskedLM"], vocab_size=50265, **roberta)
    assert parameters(masked) == 124_697_433
    many = model("xlm-roberta", architectures=["XLMRobertaModel"], vocab_size=250002, **roberta)
    assert parameters(many) == 278_043_648


def test_an_encoder_keeps_nothing_between_calls():
    found = bert("BertModel", **BASE)
    assert found.caches == ()
    assert {each.part for each in found.parameters} == {"encoder"}
    assert found.open == ()


def test_a_class_that_is_not_known_leaves_the_body_as_the_least():
    odd = bert("BertForHaikus", **BASE)
    assert parameters(odd) == 109_482_240
    assert "BertForHaikus" in odd.open[0].text
    assert model("bert", vocab_size=30522, **BASE).open, "no class named: its heads are unknown"


def test_labels_count_rows_of_a_head():
    two = bert("BertForSequenceClassification", **BASE)
    many = bert("BertForSequenceClassification", id2label={str(i): "x" for i in range(9)}, **BASE)
    assert parameters(many) - parameters(two) == 7 * (768 + 1)
