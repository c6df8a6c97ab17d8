"""Whisper: published counts, and a cross cache of 1500 frames whatever the audio (A1, C1)."""

from families.decoders import exact, model, parameters
from families.hybrids import cross_values, only, part, values_a_token

from fiche.kernel.model import AttentionCache, CrossCache


def whisper(width, encoder, decoder, heads, vocabulary=51865, mels=80):
    return model(
        "whisper",
        architectures=["WhisperForConditionalGeneration"],
        d_model=width,
        encoder_layers=encoder,
        decoder_layers=decoder,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=4 * width,
        decoder_ffn_dim=4 * width,
        vocab_size=vocabulary,
        num_mel_bins=mels,
    )


def test_published_counts():
    assert parameters(whisper(384, 4, 4, 6)) == 37_760_640  # tiny
    assert parameters(whisper(512, 6, 6, 8)) == 72_593_920  # base
    assert parameters(whisper(768, 12, 12, 12)) == 241_734_912  # small
    assert parameters(whisper(1024, 24, 24, 16)) == 763_857_920  # medium
    assert parameters(whisper(1280, 32, 32, 20, 51866, 128)) == 1_543_490_560  # large-v3
    assert parameters(whisper(1280, 32, 4, 20, 51866, 128)) == 808_878_080  # large-v3-turbo


def test_only_the_decoder_keeps_anything():
    found = whisper(1280, 32, 4, 20)
    own, cross = only(found, AttentionCache), only(found, CrossCache)
    assert own.layers == cross.layers == (0, 1, 2, 3)
    assert values_a_token(found) == cross_values(found) == 2 * 4 * 1280
    assert exact(cross.tokens) == 1500
    # whisper.cpp pads 1500 to 1536 and prints MB of 10^6: 18.87 for base (kv-034).
    assert round(cross_values(whisper(512, 6, 6, 8)) * 1536 * 2 / 10**6, 2) == 18.87


def test_parts():
    found = whisper(384, 4, 4, 6)
    assert part(found, "encoder") + part(found, "language") == 37_760_640
    layer = 4 * 384 * 384 + 3 * 384 + 2 * (4 * 384 * 384) + 4 * 384 + 384 + 4 * 384
    frontend = 384 * 80 * 3 + 384 + 384 * 384 * 3 + 384 + 1500 * 384
    assert part(found, "encoder") == frontend + 4 * layer + 2 * 384


def test_a_classifier_has_no_decoder():
    found = model("whisper", architectures=["WhisperForAudioClassification"])
    assert found.caches == ()
