"""How many sequences fit into memory at once."""

import gc

import torch
from peft import PeftModel

from .base_model import on_gpu

FIRST_MICRO_BATCH = 8


def first_micro_batch(batch_size: int) -> int:
    """The largest number of sequences, at most 8, that divides a batch."""
    return largest_divisor(batch_size, FIRST_MICRO_BATCH)


def largest_divisor(number: int, at_most: int) -> int:
    return max(divisor for divisor in range(1, max(1, at_most) + 1) if number % divisor == 0)


def is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


def free_memory() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def dry_step(model: PeftModel, *, sequences: int, length: int) -> None:
    """Computes one loss and its gradients at the longest length, and forgets them. Leaves random numbers as they were.

    `sequences` is how many the trainer computes at once: two for each pair.
    """
    with torch.random.fork_rng():
        ids = torch.zeros((sequences, length), dtype=torch.long, device=model.device)
        model.train()
        if on_gpu():
            model.gradient_checkpointing_enable()
            model.enable_input_require_grads()
        with torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=on_gpu()):
            loss = model(input_ids=ids, labels=ids, use_cache=False).loss
        loss.backward()
        model.zero_grad(set_to_none=True)
    free_memory()
