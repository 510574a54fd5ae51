"""What attempts at jobs and at runs have in common."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from peft import PeftModel
from transformers import PreTrainedTokenizerBase

from .base_model import check_weights, load_stop_ids, load_tokenizer, text_sha256
from .checkpoint_files import JobState, stage_checkpoint
from .client import TrainerClient
from .conversations import ConversationReader
from .events import Events
from .exit_codes import EXIT_STOPPED
from .failures import JobFailure
from .fingerprint import take_fingerprint
from .heartbeat import Heartbeat
from .job_spec import GrpoSpec, JobSpec
from .memory import free_memory, is_out_of_memory, largest_divisor

T = TypeVar("T")


@dataclass
class Language:
    """How the base model reads and writes conversations."""

    tokenizer: PreTrainedTokenizerBase
    reader: ConversationReader
    stop_ids: frozenset[int]
    template_sha256: str

    def require_same(self, state: JobState) -> None:
        """Raises `JobFailure` when a checkpoint was made with another template."""
        if state.template_sha256 != self.template_sha256:
            raise JobFailure("base_model_unavailable", "The chat template is not the one that the training began with.")


def load_language(spec: JobSpec | GrpoSpec) -> Language:
    """Loads the tokenizer, and checks weights and template before anything is computed. Raises `JobFailure`."""
    tokenizer = load_tokenizer(spec.base_model, spec.chat_template)
    check_weights(spec.base_model)
    stops = load_stop_ids(spec.base_model, tokenizer)
    template_sha256 = text_sha256(tokenizer.chat_template)
    if spec.base_model.chat_template_sha256 not in (None, template_sha256):
        raise JobFailure(
            "base_model_unavailable", "The chat template of the base model does not have the hash of the catalog."
        )
    return Language(tokenizer, ConversationReader(tokenizer, stops), stops, template_sha256)


class Sized(Protocol):
    micro_batch: int
    """Sequences that are computed at once."""


class AnyAttempt:
    """Trains in the folder `work`. `is_preempted` says whether the process was asked to stop."""

    _spec: JobSpec | GrpoSpec

    def __init__(
        self,
        client: TrainerClient,
        spec: JobSpec | GrpoSpec,
        work: Path,
        *,
        events: Events,
        heartbeat: Heartbeat,
        is_preempted: Callable[[], bool],
    ) -> None:
        self._client = client
        self._spec = spec
        self._work = work
        self._events = events
        self._heartbeat = heartbeat
        self._is_preempted = is_preempted

    def _until_it_fits(self, train_once: Callable[[], T], *, batch: int, sizes: Sized) -> T:
        """Trains to the end or until it is stopped; once more with half the sequences when memory runs out."""
        is_retry = False
        while True:
            try:
                return train_once()
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                if is_retry or sizes.micro_batch == 1:
                    raise JobFailure("out_of_memory", "The memory is too small for this model and length.") from error
            free_memory()
            is_retry = True
            sizes.micro_batch = largest_divisor(batch, sizes.micro_batch // 2)
            self._events.message("warn", f"Out of memory. Trying again with {sizes.micro_batch} sequences at once.")

    @contextmanager
    def _staged(self, folder: Path, step: int, state: JobState) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
        """A folder with what is kept of a checkpoint, and its files as the manifest has them."""
        staged = self._work / f"staged-{step}"
        shutil.rmtree(staged, ignore_errors=True)
        yield staged, stage_checkpoint(folder, staged, base_model=self._spec.base_model.id, state=state)
        shutil.rmtree(staged)

    def _fingerprint(
        self, language: Language, model: PeftModel, saved: Path, step: int, *, on_equal: Callable[[], None]
    ) -> None:
        """Sends what the saved adapter answers to the probes. `on_equal`: it answers like the base model."""
        if not self._spec.probes:
            return
        answers, differs = take_fingerprint(
            model, language.tokenizer, language.reader, saved, probes=self._spec.probes, stop_ids=language.stop_ids
        )
        if not differs:
            on_equal()
        self._client.fingerprint({"step": step, "chat_template_sha256": language.template_sha256, "probes": answers})

    def _wants_to_stop(self) -> bool:
        return self._is_preempted() or self._heartbeat.command in ("pause", "cancel")

    def _stop_reason(self) -> str:
        command = self._heartbeat.command
        return command if command in ("pause", "cancel") else "preempted"

    def _end_stopped(self, step: int, reason: str | None = None) -> int:
        self._heartbeat.finish()
        self._client.stopped(reason or self._stop_reason(), step)
        return EXIT_STOPPED


def unlike_base() -> JobFailure:
    return JobFailure("internal_error", "The saved adapter answers like the base model.")
