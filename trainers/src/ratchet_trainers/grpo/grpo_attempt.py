"""One attempt at a GRPO run, from the specification to the result."""

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from peft import PeftModel
from transformers import PreTrainedTokenizerBase

from ..attempt import EXIT_DONE, EXIT_STOPPED
from ..base_model import add_adapter, check_weights, load_base, load_stop_ids, load_tokenizer, text_sha256
from ..checkpoint_files import JobState, fetch_checkpoint, fetch_files, stage_checkpoint, store_checkpoint
from ..client import TrainerClient
from ..conversations import ConversationReader
from ..events import Events
from ..failures import JobFailure
from ..fingerprint import take_fingerprint
from ..heartbeat import Heartbeat
from ..job_spec import GrpoSpec
from ..memory import first_micro_batch, free_memory, is_out_of_memory, largest_divisor
from .grpo_callback import GrpoCallback
from .grpo_trainer import FleetTrainer, build_grpo_trainer
from .policy import Policy
from .steps import RunStopped, Steps

# The service has stopped the run, and the next heartbeat says why.
WAIT_FOR_COMMAND_SECONDS = 30.0


@dataclass
class _Ready:
    tokenizer: PreTrainedTokenizerBase
    reader: ConversationReader
    stop_ids: frozenset[int]
    template_sha256: str
    warm_start: Path | None
    resume: Path | None
    micro_batch: int
    retried: bool = False


class GrpoAttempt:
    """Trains a run in the folder `work`. `is_preempted` says whether the process was asked to stop."""

    def __init__(
        self,
        client: TrainerClient,
        spec: GrpoSpec,
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

    def run(self) -> int:
        """Returns the exit code. Raises `JobFailure`, `Superseded`, `LeaseEnded` or `Refused`."""
        ready = self._prepare()
        if self._wants_to_stop():
            return self._stopped(self._spec.resume.step if self._spec.resume else 0)
        callback = self._train(ready)
        if not callback.is_finished:
            return self._stopped(callback.step)
        self._heartbeat.finish()
        self._client.result({"step": callback.saved_step})
        return EXIT_DONE

    def _prepare(self) -> _Ready:
        spec = self._spec
        tokenizer = load_tokenizer(spec.base_model, spec.chat_template)
        check_weights(spec.base_model)
        stops = load_stop_ids(spec.base_model, tokenizer)
        template_sha256 = text_sha256(tokenizer.chat_template)
        if spec.base_model.chat_template_sha256 not in (None, template_sha256):
            raise JobFailure(
                "base_model_unavailable", "The chat template of the base model does not have the hash of the catalog."
            )
        batch = spec.hyperparameters.prompts_per_step * spec.hyperparameters.group_size
        ready = _Ready(
            tokenizer=tokenizer,
            reader=ConversationReader(tokenizer, stops),
            stop_ids=stops,
            template_sha256=template_sha256,
            warm_start=fetch_files(self._client, spec.warm_start, self._work / "warm") if spec.warm_start else None,
            resume=None,
            micro_batch=first_micro_batch(batch),
        )
        if spec.resume is not None:
            ready.resume = self._work / f"checkpoint-{spec.resume.step}"
            state = fetch_checkpoint(self._client, spec.resume.files, ready.resume)
            if state.template_sha256 != template_sha256:
                raise JobFailure("base_model_unavailable", "The chat template is not the one the run began with.")
            ready.micro_batch = state.micro_batch
        return ready

    def _train(self, ready: _Ready) -> GrpoCallback:
        """Trains until it is finished or stopped; once more with half the sequences when memory runs out."""
        while True:
            try:
                return self._train_once(ready)
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                if ready.retried or ready.micro_batch == 1:
                    raise JobFailure("out_of_memory", "The memory is too small for this model and length.") from error
            free_memory()
            batch = self._spec.hyperparameters.prompts_per_step * self._spec.hyperparameters.group_size
            ready.micro_batch, ready.retried = largest_divisor(batch, ready.micro_batch // 2), True
            self._events.message("warn", f"Out of memory. Trying again with {ready.micro_batch} sequences at once.")

    def _train_once(self, ready: _Ready) -> GrpoCallback:
        spec = self._spec
        model = add_adapter(load_base(spec.base_model), spec, ready.warm_start)
        policy = Policy(
            spec,
            model,
            ready.tokenizer,
            ready.reader,
            ready.stop_ids,
            trained_steps=lambda: trainer.state.global_step,
        )
        steps = Steps(self._client, policy, wants_to_stop=self._wants_to_stop)

        def save(folder: Path, step: int) -> None:
            self._save(ready, trainer, folder, step, is_moved=callback.tokens > 0)

        callback = GrpoCallback(
            self._client,
            events=self._events,
            heartbeat=self._heartbeat,
            is_preempted=self._is_preempted,
            measured=lambda: (trainer.step_tokens, trainer.gaps),
            look=steps.look,
            save=save,
        )
        trainer = build_grpo_trainer(
            spec,
            steps,
            model,
            ready.tokenizer,
            micro_batch=ready.micro_batch,
            folder=Path(tempfile.mkdtemp(prefix="run-", dir=self._work)),
            callback=callback,
        )
        try:
            trainer.train(resume_from_checkpoint=str(ready.resume) if ready.resume else None)
        except RunStopped:
            self._save_before_stop(trainer, callback)
        return callback

    def _save_before_stop(self, trainer: FleetTrainer, callback: GrpoCallback) -> None:
        """The run was stopped before a step, so what is trained is that of the step before it."""
        ends = time.monotonic() + WAIT_FOR_COMMAND_SECONDS
        while not self._wants_to_stop() and time.monotonic() < ends:
            time.sleep(0.1)
        if callback.step > callback.saved_step and self._heartbeat.command != "cancel":
            trainer._save_checkpoint(trainer.model, None)
            callback.store(Path(trainer.args.output_dir) / f"checkpoint-{callback.step}", callback.step)

    def _save(self, ready: _Ready, trainer: FleetTrainer, folder: Path, step: int, *, is_moved: bool) -> None:
        spec = self._spec
        state = JobState(
            trained_tokens=0,
            micro_batch=ready.micro_batch,
            start_loss=None,
            best_step=None,
            best_loss=None,
            evaluations_without_gain=0,
            template_sha256=ready.template_sha256,
        )
        staged = self._work / f"staged-{step}"
        shutil.rmtree(staged, ignore_errors=True)
        files = stage_checkpoint(folder, staged, base_model=spec.base_model.id, state=state)
        store_checkpoint(self._client, staged, files, spec.limits, {"step": step, "trained_tokens": 0})
        if ready.resume is not None:
            shutil.rmtree(ready.resume, ignore_errors=True)
        ready.resume = folder
        self._fingerprint(ready, trainer.model, staged, step, is_moved=is_moved)
        shutil.rmtree(staged)

    def _fingerprint(self, ready: _Ready, model: PeftModel, saved: Path, step: int, *, is_moved: bool) -> None:
        if not self._spec.probes:
            return
        answers, differs = take_fingerprint(
            model, ready.tokenizer, ready.reader, saved, probes=self._spec.probes, stop_ids=ready.stop_ids
        )
        if is_moved and not differs:
            raise JobFailure("internal_error", "The saved adapter answers like the base model.")
        self._client.fingerprint({"step": step, "chat_template_sha256": ready.template_sha256, "probes": answers})

    def _wants_to_stop(self) -> bool:
        return self._is_preempted() or self._heartbeat.command in ("pause", "cancel")

    def _stopped(self, step: int) -> int:
        command = self._heartbeat.command
        self._heartbeat.finish()
        self._client.stopped(command if command in ("pause", "cancel") else "preempted", step)
        return EXIT_STOPPED
