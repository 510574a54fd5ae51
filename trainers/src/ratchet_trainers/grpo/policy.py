"""The policy that is trained, as it answers prompts."""

import hashlib
from collections.abc import Callable, Collection

import torch
from peft import PeftModel
from transformers import PreTrainedTokenizerBase

from ..conversations import ConversationReader, Unusable
from ..failures import JobFailure
from ..job_spec import GrpoGroup, GrpoRollout, GrpoSpec
from ..sampling import Sampled, SamplingSettings, sample


class Policy:
    """Samples groups. What it answers to a group follows from its weights, the seed of the run and the group's number,
    so an attempt that goes on samples what the former one would have sampled.
    """

    def __init__(
        self,
        spec: GrpoSpec,
        model: PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        reader: ConversationReader,
        stop_ids: frozenset[int],
        *,
        trained_steps: Callable[[], int],
    ) -> None:
        self._spec = spec
        self._model = model
        self._tokenizer = tokenizer
        self._reader = reader
        self._stop_ids = stop_ids
        self._trained_steps = trained_steps

    def prompt_ids(self, group: GrpoGroup) -> list[int]:
        """Raises `JobFailure` for a prompt that cannot be answered."""
        if group.tools:
            raise JobFailure("invalid_training_data", "This trainer cannot train on prompts with tools.")
        try:
            ids = self._reader.prompt_ids(group.messages)
        except Unusable as problem:
            message = f"A prompt cannot be written by the chat template of the model: {problem.reason}."
            raise JobFailure("invalid_training_data", message) from problem
        if len(ids) >= self._spec.hyperparameters.max_context_length:
            message = f"A prompt has {len(ids)} tokens, which leaves no room for an answer."
            raise JobFailure("invalid_training_data", message)
        return ids

    def answer(self, kind: str, step: int, group: GrpoGroup, wanted: Collection[int]) -> list[GrpoRollout]:
        """Samples all answers of a group, and returns those with the wanted numbers."""
        settings = self._spec.hyperparameters
        prompt = self.prompt_ids(group)
        sampling = SamplingSettings(
            max_tokens=min(settings.max_output_tokens, settings.max_context_length - len(prompt)),
            temperature=settings.temperature,
            top_p=settings.top_p,
            stop_ids=self._stop_ids,
            pad_id=self._tokenizer.pad_token_id,
        )
        with torch.random.fork_rng():
            torch.manual_seed(_seed(self._spec.seed, kind, step, group.group))
            sampled = sample(self._model, [prompt] * group.samples, sampling)
        return [self._rollout(group.group, index, each) for index, each in enumerate(sampled) if index in wanted]

    def _rollout(self, group: int, index: int, sampled: Sampled) -> GrpoRollout:
        text = self._tokenizer.decode(sampled.token_ids, skip_special_tokens=True)
        return GrpoRollout(
            group=group,
            index=index,
            completion=[{"role": "assistant", "content": text}],
            token_ids=sampled.token_ids,
            logprobs=sampled.logprobs,
            token_mask=None,
            sampled_tokens=len(sampled.token_ids),
            truncated=not sampled.stopped,
            entropy=sampled.entropy,
            adapter_version=self._trained_steps(),
        )


def _seed(*parts: object) -> int:
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7])
