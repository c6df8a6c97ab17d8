"""Mamba: published counts, and a state that no context changes (A1, C1)."""

from families.decoders import exact, model, parameters


def mamba(hidden, layers, **more):
    return model("mamba", hidden_size=hidden, num_hidden_layers=layers, vocab_size=50280, **more)


def test_published_counts():
    assert parameters(mamba(768, 24)) == 129_135_360  # mamba-130m
    assert parameters(mamba(1024, 48)) == 371_516_416  # mamba-370m
    assert parameters(mamba(2560, 64)) == 2_768_345_600  # mamba-2.8b


def test_falcon_mamba_7b():
    found = model(
        "falcon_mamba",
        hidden_size=4096,
        num_hidden_layers=64,
        vocab_size=65024,
        tie_word_embeddings=False,
    )
    assert parameters(found) == 7_272_665_088


def test_the_state_is_inner_by_state_and_inner_by_columns():
    (cache,) = mamba(768, 24).caches
    assert cache.kind == "mamba"
    assert (exact(cache.count), exact(cache.channels), exact(cache.kernel)) == (24, 1536, 4)
    assert exact(cache.state) == 1536 * 16


def test_a_rank_that_is_told_counts():
    told = mamba(768, 1, time_step_rank=50)
    # x_proj grows by 2 rows of 1536, dt_proj by 2 columns of 1536.
    assert parameters(told) - parameters(mamba(768, 1)) == 4 * 1536


def test_layers_that_nothing_counts_are_asked_for():
    found = model("mamba", num_hidden_layers=None)
    assert found.open
    assert found.parameters == ()
