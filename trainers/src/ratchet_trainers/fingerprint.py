"""What a saved adapter answers to the probes, so that whoever serves it can tell that it is served."""

from pathlib import Path
from typing import Any

import torch
from peft import PeftModel
from transformers import GenerationConfig, PreTrainedTokenizerBase

from .conversations import ConversationReader

TOKENS = 16
ADAPTER = "fingerprint"
# Smaller differences come from arithmetic alone.
MIN_LOGPROB_GAP = 1e-6

Answer = dict[str, Any]


def take_fingerprint(
    model: PeftModel,
    tokenizer: PreTrainedTokenizerBase,
    reader: ConversationReader,
    saved: Path,
    *,
    probes: tuple[str, ...],
    stop_ids: frozenset[int],
) -> tuple[list[Answer], bool]:
    """Answers the probes with the adapter of the folder `saved`, not with the one in memory.

    Returns the answers, and whether they differ from those of the base model: if not, the adapter is not in the files,
    or does nothing. Leaves the model, and the random numbers, as they were.
    """
    settings = GenerationConfig(
        do_sample=False,
        max_new_tokens=TOKENS,
        eos_token_id=sorted(stop_ids),
        pad_token_id=tokenizer.pad_token_id,
        return_dict_in_generate=True,
        output_logits=True,
    )
    prompts = [reader.prompt_ids([{"role": "user", "content": probe}]) for probe in probes]
    active, was_training = model.active_adapter, model.training
    own_settings, model.generation_config = model.generation_config, settings
    devices = list(range(torch.cuda.device_count()))
    try:
        with torch.random.fork_rng(devices):
            model.load_adapter(str(saved), ADAPTER)
            model.set_adapter(ADAPTER)
            model.eval()
            answers = [_answer(model, prompt, index) for index, prompt in enumerate(prompts)]
            with model.disable_adapter():
                base = [_answer(model, prompt, index) for index, prompt in enumerate(prompts)]
    finally:
        model.generation_config = own_settings
        model.set_adapter(active)
        if ADAPTER in model.peft_config:
            model.delete_adapter(ADAPTER)
        model.train(was_training)
    return answers, differ(answers, base)


def differ(answers: list[Answer], others: list[Answer]) -> bool:
    """Whether any probe has other words, or the same words with another probability."""
    for one, other in zip(answers, others, strict=True):
        if one["token_ids"] != other["token_ids"]:
            return True
        gaps = (abs(a - b) for a, b in zip(one["logprobs"], other["logprobs"], strict=True))
        if max(gaps, default=0.0) > MIN_LOGPROB_GAP:
            return True
    return False


def _answer(model: PeftModel, prompt: list[int], probe: int) -> Answer:
    ids = torch.tensor([prompt], device=model.device)
    with torch.no_grad():
        output = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids))
    tokens = output.sequences[0, len(prompt) :]
    logits = torch.stack([each[0].float() for each in output.logits])
    logprobs = logits.log_softmax(-1).gather(1, tokens.unsqueeze(1)).squeeze(1)
    return {"probe": probe, "token_ids": tokens.tolist(), "logprobs": logprobs.tolist()}
