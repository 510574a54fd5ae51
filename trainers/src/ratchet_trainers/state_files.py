"""The state of a training run in files without pickles: safetensors for tensors, JSON for everything else.

`transformers` keeps the optimiser, the scheduler and the random numbers in files of `torch.save`. They are rewritten
before they leave the machine and written again when they come back: nothing that is read from a store can run code.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

# The names that `transformers` gives them.
PICKLES = ("optimizer.pt", "scheduler.pt", "rng_state.pth")
_NUMPY_TYPES = [np.ndarray, np.dtype, type(np.dtype(np.uint32))]


def pack_state(folder: Path, to: Path) -> list[Path]:
    """Writes the state of a checkpoint folder of `transformers` without pickles. Returns the files."""
    return [path for name in PICKLES if (folder / name).exists() for path in _pack(folder / name, to)]


def unpack_state(folder: Path) -> None:
    """Writes the files that `transformers` reads beside those of `pack_state`."""
    for name in PICKLES:
        packed = folder / f"{_stem(name)}.json"
        if packed.exists():
            tensor_file = folder / f"{_stem(name)}.safetensors"
            tensors = load_file(tensor_file) if tensor_file.exists() else {}
            torch.save(_join(json.loads(packed.read_text()), tensors), folder / name)


def _pack(path: Path, to: Path) -> list[Path]:
    # Written by this process a moment ago.
    with torch.serialization.safe_globals([*_NUMPY_TYPES, _reconstruct()]):
        value = torch.load(path, map_location="cpu", weights_only=True)
    tensors: dict[str, torch.Tensor] = {}
    text = json.dumps(_split(value, tensors), sort_keys=True)
    files = [to / f"{_stem(path.name)}.json"]
    files[0].write_text(text)
    if tensors:
        files.append(to / f"{_stem(path.name)}.safetensors")
        save_file(tensors, files[1])
    return files


def _split(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    """A value of JSON in which tensors, arrays and the kinds that JSON lacks are named."""
    if isinstance(value, torch.Tensor):
        name = f"t{len(tensors)}"
        tensors[name] = value.detach().clone().contiguous()
        return {"tensor": name}
    if isinstance(value, np.ndarray):
        return {"array": str(value.dtype), "values": value.tolist()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {"pairs": [[_split(key, tensors), _split(each, tensors)] for key, each in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_split(each, tensors) for each in value]}
    if isinstance(value, list):
        return [_split(each, tensors) for each in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{type(value).__name__} cannot be stored without a pickle")


def _join(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if isinstance(value, list):
        return [_join(each, tensors) for each in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensors[value["tensor"]]
    if "array" in value:
        return np.array(value["values"], dtype=np.dtype(value["array"]))
    if "tuple" in value:
        return tuple(_join(each, tensors) for each in value["tuple"])
    return {_join(key, tensors): _join(each, tensors) for key, each in value["pairs"]}


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0]


def _reconstruct() -> Any:
    return np._core.multiarray._reconstruct
