"""What the GPUs of an attempt have left."""

from typing import Any

import torch


def read_gpus() -> list[dict[str, Any]]:
    """Name and memory of each, in bytes. Empty without GPUs."""
    gpus = []
    for index in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(index)
        name = torch.cuda.get_device_name(index)[:100]
        gpus.append({"name": name, "memory_used_bytes": total - free, "memory_total_bytes": total})
    return gpus
