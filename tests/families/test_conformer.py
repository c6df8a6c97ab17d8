"""Encoders of sound with convolutions in their layers: counts of the library (transformers 5.24, A1)."""

import pytest
from families.decoders import model, parameters


@pytest.mark.parametrize(
    ("model_type", "kind", "values", "count"),
    [
        ("wav2vec2-conformer", "Wav2Vec2ConformerModel", {}, 179_730_304),
        ("wav2vec2-bert", "Wav2Vec2BertModel", {}, 580_493_120),
        ("audio-spectrogram-transformer", "ASTModel", {}, 86_187_264),
        ("parakeet_encoder", "ParakeetEncoder", {}, 607_749_120),
    ],
)
def test_parameters_are_those_of_the_library(model_type, kind, values, count):
    found = model(model_type, architectures=[kind], **values)
    assert found.open == ()
    assert parameters(found) == count
