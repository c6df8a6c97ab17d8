"""DistilBERT: published counts (A1, C1)."""

from families.decoders import model, parameters


def test_published_counts():
    assert parameters(model("distilbert", architectures=["DistilBertModel"])) == 66_362_880
    assert parameters(model("distilbert", architectures=["DistilBertForMaskedLM"])) == 66_985_530
