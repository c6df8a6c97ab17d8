"""wav2vec 2.0 and HuBERT: published counts (A1, C1)."""

from families.decoders import model, parameters


def test_published_counts():
    assert parameters(model("wav2vec2", architectures=["Wav2Vec2Model"])) == 94_371_712
    assert (
        parameters(model("wav2vec2", architectures=["Wav2Vec2ForCTC"], vocab_size=32)) == 94_396_320
    )
    assert parameters(model("hubert", architectures=["HubertModel"])) == 94_371_712


def test_adapters_are_asked_for():
    assert model("wav2vec2", architectures=["Wav2Vec2Model"], add_adapter=True).open


def test_masks_that_are_never_used_need_no_vector():
    off = model("wav2vec2", architectures=["Wav2Vec2Model"], mask_time_prob=0, mask_feature_prob=0)
    assert parameters(off) == 94_371_712 - 768


def test_relatives_have_the_same_layers():
    """wavlm-base, data2vec-audio-base and the rest, by the library's classes (transformers 5.24)."""
    counts = {
        ("unispeech", "UniSpeechModel"): 94_371_712,
        ("unispeech-sat", "UniSpeechSatModel"): 94_371_712,
        ("wavlm", "WavLMModel"): 94_381_936,
        ("data2vec-audio", "Data2VecAudioModel"): 93_164_288,
    }
    for (model_type, kind), count in counts.items():
        found = model(model_type, architectures=[kind])
        assert found.open == ()
        assert parameters(found) == count, model_type
