"""The policy that is trained, as it answers prompts."""

import hashlib
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch
from peft import PeftModel
from transformers import PreTrainedTokenizerBase

from ..conversations import ConversationReader, Message, Unusable
from ..failures import JobFailure
from ..job_spec import GrpoGroup, GrpoRollout, GrpoSpec
from ..sampling import Sampled, SamplingSettings, sample
from .episode import Episode
from .tool_calls import Called, CallReader, RunTools

# Answers whose tools are called at the same time.
CALLERS = 8

Place = tuple[int, int]
"""Numbers of a group and of an answer in it."""


@dataclass(frozen=True)
class _Asked:
    group: GrpoGroup
    prompt: list[int]


class Policy:
    """Samples groups. What it answers follows from its weights, the seed of the run, which groups are sampled together
    and what tools answer, so an attempt that goes on samples what the former one would have sampled.
    """

    def __init__(
        self,
        spec: GrpoSpec,
        model: PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        reader: ConversationReader,
        stop_ids: frozenset[int],
        tools: RunTools,
        *,
        trained_steps: Callable[[], int],
    ) -> None:
        self._spec = spec
        self._model = model
        self._tokenizer = tokenizer
        self._reader = reader
        self._stop_ids = stop_ids
        self._tools = tools
        self._trained_steps = trained_steps
        self._calls = CallReader(tokenizer) if spec.environment else None
        self._max_turns = spec.environment.max_turns if spec.environment else 0

    def most_tokens(self, groups: Sequence[GrpoGroup]) -> int:
        """Tokens that a prompt of these and its answer have at most. Raises `JobFailure`, as `prompt_ids` does."""
        settings = self._spec.hyperparameters
        if self._spec.environment:
            return settings.max_context_length
        longest = max((len(self.prompt_ids(group)) for group in groups), default=0)
        return min(settings.max_context_length, longest + settings.max_output_tokens)

    def prompt_ids(self, group: GrpoGroup) -> list[int]:
        """Raises `JobFailure` for a prompt that cannot be answered."""
        try:
            ids = self._reader.prompt_ids(group.messages, group.tools)
        except Unusable as problem:
            message = f"A prompt cannot be written by the chat template of the model: {problem.reason}."
            raise JobFailure("invalid_training_data", message) from problem
        if len(ids) >= self._spec.hyperparameters.max_context_length:
            message = f"A prompt has {len(ids)} tokens, which leaves no room for an answer."
            raise JobFailure("invalid_training_data", message)
        return ids

    def answer(self, kind: str, step: int, groups: Sequence[GrpoGroup], wanted: Collection[Place]) -> list[GrpoRollout]:
        """Samples all answers of groups together, and returns those at the wanted places."""
        asked = {group.group: _Asked(group, self.prompt_ids(group)) for group in groups}
        episodes = [Episode(group.group, index) for group in groups for index in range(group.samples)]
        # The messages with calls, then the last one.
        going = episodes
        for turn in range(self._max_turns + 1):
            if not going:
                break
            self._say(asked, going, (kind, step, groups[0].group, turn))
            calling = [each for each in going if self._may_call(each, turn)]
            going = self._call(asked, calling, kind, step) if calling else []
        return [each.rollout(self._trained_steps()) for each in episodes if (each.group, each.index) in wanted]

    def _say(self, asked: dict[int, _Asked], episodes: list[Episode], place: tuple[str, int, int, int]) -> None:
        """Samples the next message of each."""
        rooms = [self._room(asked[each.group].prompt, each) for each in episodes]
        settings = self._spec.hyperparameters
        sampling = SamplingSettings(
            max_tokens=max(rooms),
            temperature=settings.temperature,
            top_p=settings.top_p,
            stop_ids=self._stop_ids,
            pad_id=self._tokenizer.pad_token_id,
        )
        *first, turn = place
        with torch.random.fork_rng():
            torch.manual_seed(_seed(self._spec.seed, *first, *([turn] if turn else [])))
            prompts = [asked[each.group].prompt + each.token_ids for each in episodes]
            all_sampled = sample(self._model, prompts, sampling, limits=rooms)
        for before, episode, sampled in zip(prompts, episodes, all_sampled, strict=True):
            episode.say(self._message(before, sampled, asked[episode.group].group.tools), sampled)

    def _room(self, prompt: list[int], episode: Episode) -> int:
        settings = self._spec.hyperparameters
        return min(
            settings.max_output_tokens - episode.sampled_tokens,
            settings.max_context_length - len(prompt) - len(episode.token_ids),
        )

    def _message(self, before: list[int], sampled: Sampled, tools: list[dict[str, Any]] | None) -> Message:
        if tools and sampled.stopped:
            self._calls = self._calls or CallReader(self._tokenizer)
            return self._calls.message(before, sampled.token_ids, tools)
        text = self._tokenizer.decode(sampled.token_ids, skip_special_tokens=True)
        return {"role": "assistant", "content": text}

    def _may_call(self, episode: Episode, turn: int) -> bool:
        return turn < self._max_turns and not episode.is_last_turn and "tool_calls" in episode.completion[-1]

    def _call(self, asked: dict[int, _Asked], episodes: list[Episode], kind: str, step: int) -> list[Episode]:
        """Calls the tools that these want. Returns those that have room for another message."""

        def call(episode: Episode) -> Called:
            name = f"{kind}-{step}-{episode.group}-{episode.index}"
            return self._tools.call(episode.completion[-1], episode=name, step=step, before=episode.calls)

        with ThreadPoolExecutor(CALLERS) as pool:
            all_called = list(pool.map(call, episodes))
        return [
            episode
            for episode, called in zip(episodes, all_called, strict=True)
            if self._hear(asked[episode.group], episode, called)
        ]

    def _hear(self, asked: _Asked, episode: Episode, called: Called) -> bool:
        message = episode.completion[-1]
        episode.calls += len(called.results)
        episode.is_last_turn = called.done
        try:
            ids = self._reader.after_calls(message, called.results, asked.group.tools)
        except Unusable as problem:
            text = f"The chat template of the model cannot write results of tools: {problem.reason}."
            raise JobFailure("base_model_unavailable", text) from problem
        settings = self._spec.hyperparameters
        left = settings.max_context_length - len(asked.prompt) - len(episode.token_ids) - len(ids)
        if left < 1 or episode.sampled_tokens >= settings.max_output_tokens:
            # There is no room for the results, or for what the model would say to them.
            episode.truncated = True
            return False
        episode.hear(called.results, ids)
        return True


def _seed(*parts: object) -> int:
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7])
