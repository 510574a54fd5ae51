"""The state of a run, stored without pickles."""

import random
from pathlib import Path

import numpy as np
import pytest
import torch

from ratchet_trainers.state_files import pack_state, unpack_state


def test_optimisers_and_random_numbers_come_back_as_they_were(tmp_path: Path) -> None:
    weight = torch.nn.Parameter(torch.randn(3, 2))
    optimizer = torch.optim.AdamW([weight], lr=1e-3)
    weight.sum().backward()
    optimizer.step()
    kept = {
        "optimizer.pt": optimizer.state_dict(),
        "scheduler.pt": {"last_epoch": 3, "_last_lr": [1e-3], "lr_lambdas": [None]},
        "rng_state.pth": {
            "python": random.getstate(),
            "numpy": np.random.get_state(),
            "cpu": torch.random.get_rng_state(),
        },
    }
    run, store = tmp_path / "run", tmp_path / "store"
    run.mkdir()
    store.mkdir()
    for name, value in kept.items():
        torch.save(value, run / name)
    files = pack_state(run, store)
    assert {path.suffix for path in files} == {".json", ".safetensors"}
    unpack_state(store)
    for name, value in kept.items():
        assert_equal(torch.load(store / name, weights_only=False), value)


def test_an_object_that_needs_a_pickle_is_refused(tmp_path: Path) -> None:
    torch.save({"last_epoch": 1 + 2j}, tmp_path / "scheduler.pt")
    with pytest.raises(TypeError, match="without a pickle"):
        pack_state(tmp_path, tmp_path)


def assert_equal(one: object, other: object) -> None:
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_equal(one[key], other[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_equal(a, b)
    elif isinstance(one, torch.Tensor):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    else:
        assert one == other
