"""Turns conversations into tokens, and says which tokens are trained.

The labels are made here, and not by the roles of the template: an assistant's turn with `weight` 0 is only read.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

IGNORED = -100
Message = dict[str, Any]


class Unusable(Exception):  # noqa: N818
    """An example that cannot be trained. `reason` is a counter of the data report, such as `empty`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Turns:
    """A conversation in tokens. `labels` equals `input_ids` where a token is trained, and is IGNORED elsewhere."""

    input_ids: list[int]
    labels: list[int]
    stops: bool
    """Whether every trained turn ends in a stop token that is trained."""

    @property
    def tokens(self) -> int:
        return len(self.input_ids)

    @property
    def longest(self) -> int:
        return len(self.input_ids)

    def row(self) -> dict[str, list[int]]:
        return {"input_ids": self.input_ids, "labels": self.labels}

    def cut_left(self, length: int) -> "Turns":
        return Turns(self.input_ids[-length:], self.labels[-length:], self.stops)


@dataclass(frozen=True)
class Pair:
    """A prompt with its preferred and its other answer, in tokens."""

    prompt_ids: list[int]
    chosen_ids: list[int]
    rejected_ids: list[int]
    stops: bool

    @property
    def tokens(self) -> int:
        return len(self.prompt_ids) + len(self.chosen_ids) + len(self.rejected_ids)

    @property
    def longest(self) -> int:
        return len(self.prompt_ids) + max(len(self.chosen_ids), len(self.rejected_ids))

    def row(self) -> dict[str, list[int]]:
        return {"prompt_ids": self.prompt_ids, "chosen_ids": self.chosen_ids, "rejected_ids": self.rejected_ids}

    def cut_left(self, length: int) -> "Pair":
        kept = length - max(len(self.chosen_ids), len(self.rejected_ids))
        if kept < 1:
            raise Unusable("too_long")
        return Pair(self.prompt_ids[-kept:], self.chosen_ids, self.rejected_ids, self.stops)


class ConversationReader:
    """Renders examples with the template of the tokenizer."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, stop_ids: frozenset[int]) -> None:
        self._tokenizer = tokenizer
        self._stop_ids = stop_ids

    def chat(self, example: dict[str, Any]) -> Turns:
        """Reads `{messages, tools?}`. Raises `Unusable`."""
        messages, weights = _clean(example.get("messages"))
        trained = [
            index for index, message in enumerate(messages) if message["role"] == "assistant" and weights[index] != 0
        ]
        if not trained:
            raise Unusable("empty")
        render = self._renderer(example.get("tools"))
        text = render(messages, False)
        spans = [_span(render, messages, index, text) for index in trained]
        ids, starts = self._tokens(text)
        labels = [IGNORED] * len(ids)
        stops = True
        for start, end in spans:
            places = [place for place, at in enumerate(starts) if start <= at < end]
            places, stopped = self._until_stop(ids, places)
            stops = stops and stopped
            for place in places:
                labels[place] = ids[place]
        # The first token is never predicted.
        if all(label == IGNORED for label in labels[1:]):
            raise Unusable("empty")
        return Turns(ids, labels, stops)

    def preference(self, example: dict[str, Any]) -> Pair:
        """Reads `{input: {messages, tools?}, preferred_output, non_preferred_output}`. Raises `Unusable`."""
        given = example.get("input")
        if not isinstance(given, dict):
            raise Unusable("unreadable")
        prompt, _ = _clean(given.get("messages"))
        render = self._renderer(given.get("tools"))
        answers = [_clean(example.get(key))[0] for key in ("preferred_output", "non_preferred_output")]
        (chosen, chosen_at, chosen_stops), (rejected, rejected_at, rejected_stops) = (
            self._answer(render, prompt, answer) for answer in answers
        )
        # Tokens may merge across the border, so the prompt is what both have in common.
        at = min(chosen_at, rejected_at, _common(chosen, rejected))
        pair = Pair(chosen[:at], chosen[at:], rejected[at:], chosen_stops and rejected_stops)
        if not pair.prompt_ids or not pair.chosen_ids or not pair.rejected_ids:
            raise Unusable("empty")
        if pair.chosen_ids == pair.rejected_ids:
            raise Unusable("equal_answers")
        return pair

    def prompt_ids(self, messages: Sequence[Message], tools: list[dict[str, Any]] | None = None) -> list[int]:
        """The tokens that a model answers to, as at serving. Raises `Unusable`."""
        return self._tokens(self._renderer(tools)(_clean(list(messages))[0], True))[0]

    def after_calls(
        self, message: Message, results: Sequence[Message], tools: list[dict[str, Any]] | None = None
    ) -> list[int]:
        """The tokens between a message with calls and the next answer: the results. Raises `Unusable`."""
        render = self._renderer(tools)
        names = {call["id"]: call["function"]["name"] for call in message["tool_calls"]}
        heard = [{**result, "name": names[result["tool_call_id"]]} for result in results]
        said = _clean([{"role": "user", "content": "-"}, message])[0]
        before, _ = self._tokens(render(said, False))
        # What the template writes after the stop token belongs to the results.
        places, _ = self._until_stop(before, list(range(len(before))))
        before = before[: places[-1] + 1]
        whole, _ = self._tokens(render(said + _clean(heard)[0], True))
        if whole[: len(before)] != before:
            raise Unusable("template")
        return whole[len(before) :]

    def _answer(
        self, render: Callable[[list[Message], bool], str], prompt: list[Message], answer: list[Message]
    ) -> tuple[list[int], int, bool]:
        text = render(prompt + answer, False)
        head = _head(render, prompt, text)
        ids, starts = self._tokens(text)
        at = sum(1 for start in starts if start < head)
        places, stopped = self._until_stop(ids, list(range(at, len(ids))))
        return ids[: places[-1] + 1] if places else ids, at, stopped

    def _until_stop(self, ids: list[int], places: list[int]) -> tuple[list[int], bool]:
        """Templates write a line end after the stop token, which no model is asked to say."""
        stop = max((place for place in places if ids[place] in self._stop_ids), default=None)
        return (places, False) if stop is None else ([place for place in places if place <= stop], True)

    def _tokens(self, text: str) -> tuple[list[int], list[int]]:
        encoded = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        return encoded["input_ids"], [start for start, _ in encoded["offset_mapping"]]

    def _renderer(self, tools: list[dict[str, Any]] | None) -> Callable[[list[Message], bool], str]:
        def render(messages: list[Message], add_generation_prompt: bool) -> str:
            try:
                return self._tokenizer.apply_chat_template(
                    messages, tools=tools or None, tokenize=False, add_generation_prompt=add_generation_prompt
                )
            except (TemplateError, TypeError, ValueError, KeyError) as error:
                raise Unusable("template") from error

        return render


def _span(
    render: Callable[[list[Message], bool], str], messages: list[Message], index: int, text: str
) -> tuple[int, int]:
    """Where the answer of a turn begins and ends in the text of the conversation."""
    start = _head(render, messages[:index], text)
    until = render(messages[: index + 1], False)
    if not text.startswith(until):
        # A template that writes earlier turns in another way, such as without their reasoning.
        raise Unusable("template")
    return start, len(until)


def _head(render: Callable[[list[Message], bool], str], before: list[Message], text: str) -> int:
    """Length of the text before an answer. The template may begin an answer with more than it keeps of it later."""
    if not text.startswith(render(before, False)):
        raise Unusable("template")
    return _common(render(before, True), text)


def _common(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Length of the beginning that both have."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _clean(messages: Any) -> tuple[list[Message], list[float]]:
    """Messages as templates expect them, and their weights."""
    if not isinstance(messages, list) or not messages:
        raise Unusable("empty")
    if not all(isinstance(message, dict) and isinstance(message.get("role"), str) for message in messages):
        raise Unusable("unreadable")
    weights = [1 if message.get("weight") is None else message["weight"] for message in messages]
    return [_clean_message(message) for message in messages], weights


def _clean_message(message: Message) -> Message:
    kept = {key: value for key, value in message.items() if key != "weight" and value is not None}
    kept["role"] = "system" if message["role"] == "developer" else message["role"]
    kept["content"] = _text(message.get("content"))
    if kept.get("tool_calls"):
        kept["tool_calls"] = [_clean_call(call) for call in kept["tool_calls"]]
    return kept


def _text(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return "".join(str(part.get("text", "")) for part in content)
    raise Unusable("unreadable")


def _clean_call(call: Any) -> dict[str, Any]:
    """Templates want a call's arguments as an object; the API has them as JSON in a string."""
    if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
        raise Unusable("unreadable")
    arguments = call["function"].get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise Unusable("unreadable") from error
    return {**call, "function": {**call["function"], "arguments": arguments}}
