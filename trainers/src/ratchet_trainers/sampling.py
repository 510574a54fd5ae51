"""Samples answers of a model, with the probabilities that its tokens had."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList, PreTrainedModel
from transformers.generation.streamers import BaseStreamer


@dataclass(frozen=True)
class SamplingSettings:
    max_tokens: int
    temperature: float
    """0: the most probable token."""
    top_p: float
    stop_ids: frozenset[int]
    pad_id: int


@dataclass(frozen=True)
class Sampled:
    """An answer. `logprobs` are natural logarithms, one per token, by the model's own distribution before `top_p`."""

    token_ids: list[int]
    logprobs: list[float]
    stopped: bool
    """Whether it ended with a stop token; that token is part of it."""
    entropy: float
    """Mean over its tokens, nats."""


class _Recorder(LogitsProcessor):
    """Notes the probability of each token that was chosen, and keeps no more than one step of the others'."""

    def __init__(self, temperature: float) -> None:
        self._temperature = temperature or 1.0
        self._last: torch.Tensor | None = None
        self.logprobs: list[torch.Tensor] = []
        self.entropies: list[torch.Tensor] = []

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        self._note(input_ids)
        self._last = (scores.float() / self._temperature).log_softmax(-1)
        self.entropies.append(-(self._last.exp() * self._last).sum(-1))
        return scores

    def finish(self, sequences: torch.LongTensor) -> tuple[torch.Tensor, torch.Tensor]:
        self._note(sequences)
        return torch.stack(self.logprobs, 1), torch.stack(self.entropies, 1)

    def _note(self, sequences: torch.LongTensor) -> None:
        if self._last is not None:
            self.logprobs.append(self._last.gather(1, sequences[:, -1:]).squeeze(1))


def sample(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    settings: SamplingSettings,
    streamer: BaseStreamer | None = None,
    *,
    limits: Sequence[int] | None = None,
) -> list[Sampled]:
    """Answers each prompt once; repeat a prompt for several answers. Logprobs are at the temperature given.

    `limits` are numbers of tokens that single answers may have, at most `max_tokens`.
    """
    length = max(map(len, prompts))
    padded = [[settings.pad_id] * (length - len(prompt)) + list(prompt) for prompt in prompts]
    mask = [[0] * (length - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    recorder = _Recorder(settings.temperature)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            sequences = model.generate(
                input_ids=torch.tensor(padded, device=model.device),
                attention_mask=torch.tensor(mask, device=model.device),
                generation_config=_generation(settings),
                logits_processor=LogitsProcessorList([recorder]),
                streamer=streamer,
            )
    finally:
        model.train(was_training)
    logprobs, entropies = recorder.finish(sequences)
    limits = limits or [settings.max_tokens] * len(prompts)
    return [
        _cut(tokens[:limit], kept, entropy, settings.stop_ids)
        for tokens, kept, entropy, limit in zip(
            sequences[:, length:].tolist(), logprobs.tolist(), entropies.tolist(), limits, strict=True
        )
    ]


def _generation(settings: SamplingSettings) -> GenerationConfig:
    drawn: dict[str, Any] = (
        {"do_sample": False}
        if settings.temperature == 0
        else {"do_sample": True, "temperature": settings.temperature, "top_p": settings.top_p, "top_k": 0}
    )
    return GenerationConfig(
        max_new_tokens=settings.max_tokens,
        eos_token_id=sorted(settings.stop_ids),
        pad_token_id=settings.pad_id,
        **drawn,
    )


def _cut(tokens: list[int], logprobs: list[float], entropies: list[float], stop_ids: frozenset[int]) -> Sampled:
    """What follows the first stop token is padding of a batch."""
    end = next((at for at, token in enumerate(tokens) if token in stop_ids), None)
    kept = len(tokens) if end is None else end + 1
    entropy = sum(entropies[:kept]) / max(kept, 1)
    return Sampled(tokens[:kept], logprobs[:kept], end is not None, entropy)
