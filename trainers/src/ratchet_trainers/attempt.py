"""One attempt at a job, from the specification to the result."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from peft import PeftModel

from .any_attempt import EXIT_DONE, EXIT_STOPPED
from .base_model import add_adapter, load_base
from .checkpoint_files import JobState, stage_checkpoint, store_checkpoint
from .client import TrainerClient
from .events import Events, finite_values
from .failures import JobFailure
from .fingerprint import take_fingerprint
from .heartbeat import Heartbeat
from .job_callback import JobCallback, Progress
from .job_spec import JobSpec
from .lora_trainers import build_trainer
from .memory import dry_step, free_memory, is_out_of_memory, largest_divisor
from .preparation import Prepared, prepare
from .schedule import is_servable


class Attempt:
    """Trains a job in the folder `work`. `is_preempted` says whether the process was asked to stop."""

    def __init__(
        self,
        client: TrainerClient,
        spec: JobSpec,
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
        prepared = prepare(self._client, self._spec, self._work, self._events, wants_to_stop=self._wants_to_stop)
        spec = self._spec = self._spec.model_copy(update={"plan": prepared.plan})
        progress = prepared.progress
        if self._wants_to_stop():
            return self._stopped(progress)
        self._check_resumed(prepared)
        past_best = progress.is_past_best(spec.hyperparameters.early_stopping_patience)
        if progress.step < prepared.last_step and not past_best:
            self._train(prepared)
        if progress.stopped in ("pause", "cancel", "preempted"):
            return self._stopped(progress)
        self._heartbeat.finish()
        early = spec.hyperparameters.early_stopping_patience is not None and progress.best_step is not None
        self._client.result(
            {
                "step": progress.best_step if early else progress.step,
                "stopped_early": "early_stopping" if past_best or progress.stopped == "early_stopping" else None,
                "metrics": finite_values(progress.metrics),
            }
        )
        return EXIT_DONE

    def _model(self, prepared: Prepared) -> PeftModel:
        return add_adapter(load_base(self._spec.base_model), self._spec, prepared.warm_start)

    def _check_resumed(self, prepared: Prepared) -> None:
        """The former attempt may have ended between a checkpoint and its fingerprint."""
        step = prepared.progress.step
        if prepared.resume is not None and is_servable(self._spec.plan, step, prepared.last_step):
            self._fingerprint(prepared, self._model(prepared), prepared.resume, step)

    def _train(self, prepared: Prepared) -> None:
        """Trains to the end or until it is stopped; once more with half the sequences when memory runs out."""
        while True:
            try:
                self._train_once(prepared)
                return
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                if prepared.retried or prepared.progress.micro_batch == 1:
                    raise JobFailure("out_of_memory", "The memory is too small for this model and length.") from error
            free_memory()
            micro_batch = largest_divisor(self._spec.hyperparameters.batch_size, prepared.progress.micro_batch // 2)
            prepared.retried = True
            prepared.progress.micro_batch = micro_batch
            self._events.message("warn", f"Out of memory. Trying again with {micro_batch} sequences at once.")

    def _train_once(self, prepared: Prepared) -> None:
        spec, progress = self._spec, prepared.progress
        model = self._model(prepared)
        sequences = progress.micro_batch * (2 if spec.kind == "dpo" else 1)
        dry_step(model, sequences=sequences, length=max(each.longest for each in prepared.train.examples))
        if self._wants_to_stop():
            progress.stopped = self._stop_reason()
            return
        run = Path(tempfile.mkdtemp(prefix="run-", dir=self._work))

        def save(folder: Path, step: int, epoch: float | None, metrics: dict[str, float]) -> bool:
            return self._save(prepared, trainer, folder, step, epoch, metrics)

        callback = JobCallback(
            spec,
            progress,
            prepared.last_step,
            has_validation=prepared.validation is not None,
            events=self._events,
            heartbeat=self._heartbeat,
            is_preempted=self._is_preempted,
            save=save,
        )
        trainer = build_trainer(
            spec,
            model,
            prepared.tokenizer,
            train=prepared.train.examples,
            validation=prepared.validation.examples if prepared.validation else [],
            micro_batch=progress.micro_batch,
            steps=prepared.last_step,
            folder=run,
            callback=callback,
        )
        trainer.trained_tokens = prepared.trained_tokens
        trainer.train(resume_from_checkpoint=str(prepared.resume) if prepared.resume else None)

    def _save(
        self,
        prepared: Prepared,
        trainer: object,
        folder: Path,
        step: int,
        epoch: float | None,
        metrics: dict[str, float],
    ) -> bool:
        spec, progress = self._spec, prepared.progress
        state = JobState(
            trained_tokens=trainer.trained_tokens,
            micro_batch=progress.micro_batch,
            start_loss=progress.watch.start_loss,
            best_step=progress.best_step,
            best_loss=progress.best_loss,
            evaluations_without_gain=progress.evaluations_without_gain,
            template_sha256=prepared.template_sha256,
        )
        staged = self._work / f"staged-{step}"
        shutil.rmtree(staged, ignore_errors=True)
        files = stage_checkpoint(folder, staged, base_model=spec.base_model.id, state=state)
        commit = {
            "step": step,
            "trained_tokens": min(state.trained_tokens, spec.plan.total_tokens),
            "epoch": epoch,
            "metrics": finite_values(metrics),
        }
        # An attempt that goes on from here does not report the steps before it again.
        self._events.flush()
        reply = store_checkpoint(self._client, staged, files, spec.limits, commit)
        # A retry in this attempt goes on from here.
        if prepared.resume is not None:
            shutil.rmtree(prepared.resume, ignore_errors=True)
        prepared.resume, prepared.trained_tokens = folder, state.trained_tokens
        if reply.stop or is_servable(spec.plan, step, prepared.last_step):
            self._fingerprint(prepared, trainer.model, staged, step, last=reply.stop)
        shutil.rmtree(staged)
        return reply.stop

    def _fingerprint(self, prepared: Prepared, model: PeftModel, saved: Path, step: int, *, last: bool = False) -> None:
        if not self._spec.probes:
            return
        answers, differs = take_fingerprint(
            model,
            prepared.tokenizer,
            prepared.reader,
            saved,
            probes=self._spec.probes,
            stop_ids=prepared.stop_ids,
        )
        if not differs:
            if last or step == prepared.last_step:
                raise JobFailure("internal_error", "The saved adapter answers like the base model.")
            self._events.message("warn", f"The adapter of step {step} answers like the base model.")
        self._client.fingerprint({"step": step, "chat_template_sha256": prepared.template_sha256, "probes": answers})

    def _wants_to_stop(self) -> bool:
        return self._is_preempted() or self._heartbeat.command in ("pause", "cancel")

    def _stop_reason(self) -> str:
        command = self._heartbeat.command
        return command if command in ("pause", "cancel") else "preempted"

    def _stopped(self, progress: Progress) -> int:
        self._heartbeat.finish()
        self._client.stopped(progress.stopped or self._stop_reason(), progress.step)
        return EXIT_STOPPED
