"""Calls of tools: read from what a model writes, and made by the fleet."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from transformers import PreTrainedTokenizerBase
from trl.chat_template_utils import add_response_schema, parse_response

from ..client import TrainerClient
from ..conversations import Message
from ..failures import JobFailure

# The service takes 16 384 characters. What is cut is no JSON any more, and the model is told so.
MAX_ARGUMENTS = 10_000
MAX_NAME = 200


class CallReader:
    """Reads messages of the assistant with calls. Raises `JobFailure` where nothing says how the model writes them."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        if getattr(tokenizer, "response_template", None) is None:
            try:
                add_response_schema(tokenizer)
            except ValueError as error:
                message = "Nothing says how the model writes calls of tools: its chat template is not a known one."
                raise JobFailure("base_model_unavailable", message) from error
        self._tokenizer = tokenizer

    def message(self, prompt: Sequence[int], answer: Sequence[int], tools: list[dict[str, Any]]) -> Message:
        """What was written after a prompt. Calls that cannot be read are text."""
        parsed = parse_response(self._tokenizer, list(answer), prefix=list(prompt), tools=tools)
        functions = [call["function"] for call in parsed.get("tool_calls") or []]
        message: Message = {"role": "assistant", "content": parsed["content"]}
        if functions:
            message["tool_calls"] = [
                {"id": f"call_{number}", "type": "function", "function": _written(function)}
                for number, function in enumerate(functions, 1)
            ]
        return message


def _written(function: dict[str, Any]) -> dict[str, str]:
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"name": str(function.get("name")), "arguments": text}


@dataclass(frozen=True)
class Called:
    """The results of the calls of a message, as messages. `done`: a tool says that the episode is over."""

    results: list[Message]
    done: bool


class RunTools:
    """Has the fleet call the tools of a run. A call that is repeated, also by a later attempt, has the same answer."""

    def __init__(self, client: TrainerClient) -> None:
        self._client = client

    def call(self, message: Message, *, episode: str, step: int, before: int) -> Called:
        """Makes the calls of a message. `before` is the number of calls that the episode has made already."""
        results: list[Message] = []
        done = False
        for number, call in enumerate(message["tool_calls"], before + 1):
            function = call["function"]
            answer = self._client.call_tool(
                {
                    "rollout": episode,
                    "step": step,
                    "tool": function["name"][:MAX_NAME] or "-",
                    "arguments": function["arguments"][:MAX_ARGUMENTS],
                    "call_id": f"{episode}-{number}",
                }
            )
            results.append({"role": "tool", "tool_call_id": call["id"], "content": answer.result})
            done = done or answer.done
        return Called(results, done)
