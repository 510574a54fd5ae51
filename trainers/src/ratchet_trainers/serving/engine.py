"""One base model with adapters that are loaded and unloaded while it answers."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from safetensors import SafetensorError
from transformers.generation.streamers import BaseStreamer

from ..base_model import load_base, load_stop_ids, load_tokenizer
from ..conversations import ConversationReader, Unusable
from ..job_spec import BaseModelSource
from ..sampling import Sampled, SamplingSettings, sample


class Refusal(Exception):  # noqa: N818
    """A request that cannot be answered, with its status."""

    def __init__(self, status: HTTPStatus, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


@dataclass(frozen=True)
class Question:
    model: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]] | None
    max_tokens: int | None
    temperature: float
    top_p: float
    samples: int
    seed: int | None


class Engine:
    """Answers one request at a time: the adapter that is active is a state of the model."""

    def __init__(self, source: str, name: str) -> None:
        base = BaseModelSource(id=name, source=source, sha256=None)
        self.name = name
        self.tokenizer = load_tokenizer(base, None)
        self._stop_ids = load_stop_ids(base, self.tokenizer)
        self._reader = ConversationReader(self.tokenizer, self._stop_ids)
        model = load_base(base)
        self.context = int(model.config.max_position_embeddings)
        # PEFT wants one adapter at any time. This one is never active.
        self._model = get_peft_model(
            model, LoraConfig(r=1, target_modules="all-linear", task_type="CAUSAL_LM"), adapter_name="none"
        ).eval()
        self._adapters: dict[str, str] = {}
        self._lock = threading.Lock()
        self._requests: Counter[str] = Counter()
        self._counting = threading.Lock()

    def adapters_with_requests(self) -> list[str]:
        """Names of the adapters that answer, or wait for their turn."""
        with self._counting:
            return sorted(name for name, count in self._requests.items() if count > 0 and name != self.name)

    def adapters(self) -> dict[str, str]:
        """Folders of the loaded adapters, by name."""
        return dict(self._adapters)

    def load(self, name: str, folder: str) -> None:
        with self._lock:
            if name in self._adapters or name == self.name:
                raise Refusal(HTTPStatus.BAD_REQUEST, "InvalidUserInput", f"The adapter `{name}` is already loaded.")
            # Only safetensors: a pickle could run code.
            if not (Path(folder) / "adapter_model.safetensors").is_file():
                raise Refusal(HTTPStatus.NOT_FOUND, "NotFoundError", f"No adapter found for `{name}` at `{folder}`.")
            try:
                loaded = self._model.load_adapter(folder, _internal(name), use_safetensors=True)
                if loaded.missing_keys or loaded.unexpected_keys:
                    raise ValueError("other layers")
            except (OSError, RuntimeError, ValueError, KeyError, TypeError, SafetensorError) as error:
                self._forget(name)
                raise Refusal(
                    HTTPStatus.BAD_REQUEST, "BadRequestError", f"The adapter `{name}` does not fit the base model."
                ) from error
            self._adapters[name] = folder

    def unload(self, name: str) -> None:
        with self._lock:
            self._require(name, is_adapter=True)
            self._forget(name)
            del self._adapters[name]

    def prompt(self, question: Question) -> list[int]:
        """The tokens of a question. Raises `Refusal`."""
        self._require(question.model)
        try:
            ids = self._reader.prompt_ids(question.messages, question.tools)
        except Unusable as problem:
            message = f"The messages cannot be read by the chat template: {problem.reason}."
            raise Refusal(HTTPStatus.BAD_REQUEST, "BadRequestError", message) from problem
        if len(ids) + (question.max_tokens or 1) > self.context:
            message = (
                f"This model has at most {self.context} tokens, and the prompt has {len(ids)} with "
                f"{question.max_tokens or 1} to answer."
            )
            raise Refusal(HTTPStatus.BAD_REQUEST, "BadRequestError", message)
        return ids

    def answer(self, question: Question, prompt: list[int], streamer: BaseStreamer | None = None) -> list[Sampled]:
        settings = SamplingSettings(
            max_tokens=question.max_tokens or self.context - len(prompt),
            temperature=question.temperature,
            top_p=question.top_p,
            stop_ids=self._stop_ids,
            pad_id=self.tokenizer.pad_token_id,
        )
        with self._counted(question.model), self._lock, torch.random.fork_rng(enabled=question.seed is not None):
            self._require(question.model)
            if question.seed is not None:
                torch.manual_seed(question.seed)
            prompts = [prompt] * question.samples
            if question.model in self._adapters:
                self._model.set_adapter(_internal(question.model))
                return sample(self._model, prompts, settings, streamer)
            with self._model.disable_adapter():
                return sample(self._model, prompts, settings, streamer)

    @contextmanager
    def _counted(self, name: str) -> Iterator[None]:
        with self._counting:
            self._requests[name] += 1
        try:
            yield
        finally:
            with self._counting:
                self._requests[name] -= 1
                if self._requests[name] == 0:
                    del self._requests[name]

    def text(self, token_ids: list[int]) -> str:
        return self.tokenizer.decode(token_ids, skip_special_tokens=True)

    def token(self, token_id: int) -> str:
        return self.tokenizer.decode([token_id])

    def _require(self, name: str, *, is_adapter: bool = False) -> None:
        if name in self._adapters or (name == self.name and not is_adapter):
            return
        raise Refusal(HTTPStatus.NOT_FOUND, "NotFoundError", f"The model `{name}` does not exist.")

    def _forget(self, name: str) -> None:
        if _internal(name) in self._model.peft_config:
            self._model.delete_adapter(_internal(name))
            self._model.set_adapter("none")


def _internal(name: str) -> str:
    """PEFT's names become names of modules, which must not have dots."""
    return "adapter_" + name.encode().hex()
