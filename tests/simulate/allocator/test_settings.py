"""The allocator's settings, read as torch 2.13 reads them."""

import json
from fractions import Fraction

import pytest

from fiche.simulate.allocator.settings import AllocatorSettings, SettingsError

MIB = 1 << 20


def test_an_empty_text_makes_the_defaults():
    assert AllocatorSettings.of("") == AllocatorSettings()
    assert AllocatorSettings().large_segment_bytes == 20 * MIB


def test_white_space_is_nothing_and_the_order_does_not_matter():
    read = AllocatorSettings.of(
        " max_split_size_mb : 512 , large_segment_size_mb:64, expandable_segments:True ,", 1 << 30
    )
    assert read.large_segment_bytes == read.max_non_split_rounding_bytes == 64 * MIB
    assert read.max_split_bytes == 512 * MIB
    assert read.expandable_segments
    assert read.capacity_bytes == 1 << 30


def test_shares_are_exact():
    read = AllocatorSettings.of(
        "garbage_collection_threshold:0.8,per_process_memory_fraction:0.9", 1000
    )
    assert read.garbage_collection_threshold == Fraction(4, 5)
    assert read.allowed_bytes == 900
    assert AllocatorSettings.of("", 1000).allowed_bytes is None


def test_settings_of_the_host_move_nothing():
    text = "pinned_use_background_threads:True,release_lock_on_cudamalloc:True,pinned_num_register_threads:4"
    assert AllocatorSettings.of(text) == AllocatorSettings(text=text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("foo:1,bar:2", "'foo' is no setting"),
        ("garbage_collection_threshold:1.2", "from 0 to 1"),
        ("garbage_collection_threshold:0", "neither"),
        ("garbage_collection_threshold:0.5x", "from 0 to 1"),
        ("max_split_size_mb:2", "at least 20"),
        ("max_split_size_mb:30,large_segment_size_mb:40", "at least 40"),
        ("max_non_split_rounding_mb:19", "at least 20"),
        ("large_segment_size_mb:10", "at least 11"),
        ("expandable_segments:true", "True or False"),
        ("expandable_segments", "no `key:value`"),
        ("max_split_size_mb:100 expandable_segments:True", "no `key:value`"),
        ("roundup_power2_divisions:3", "power of two"),
        ("roundup_power2_divisions:[3:4]", "power of two"),
        ("roundup_power2_divisions:[256:3]", "power of two"),
        ("backend:cudaMallocAsync", "only the backend 'native'"),
        ("expandable_segments_page_size:2", "is no setting"),
    ],
)
def test_what_torch_refuses_or_is_not_modelled_is_refused(text, words):
    with pytest.raises(SettingsError, match=words):
        AllocatorSettings.of(text)


def test_the_native_backend_is_the_one_that_is_modelled():
    assert AllocatorSettings.of("backend:native").text == "backend:native"


def test_what_does_nothing_is_said():
    alone = AllocatorSettings.of("garbage_collection_threshold:0.8", 1 << 30)
    assert "does nothing without a memory fraction" in alone.remarks()[0]
    growing = (
        "garbage_collection_threshold:0.8,per_process_memory_fraction:0.9,expandable_segments:True"
    )
    assert "no expandable segment" in AllocatorSettings.of(growing, 1 << 30).remarks()[0]
    assert "bounds nothing" in AllocatorSettings.of("per_process_memory_fraction:0.9").remarks()[0]
    assert AllocatorSettings().remarks() == ()


def test_settings_can_be_written_down():
    told = AllocatorSettings.of("per_process_memory_fraction:0.5,max_split_size_mb:64", 7).told()
    assert json.loads(json.dumps(told)) == told
    assert told["per_process_memory_fraction"] == "1/2"
    assert told["max_split_bytes"] == 64 * MIB
