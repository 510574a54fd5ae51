"""One attempt at a job, from the specification to the result."""

import shutil
import tempfile
from pathlib import Path

from peft import PeftModel

from .any_attempt import AnyAttempt, unlike_base
from .base_model import add_adapter, load_base
from .checkpoint_files import JobState, store_checkpoint
from .events import finite_values
from .exit_codes import EXIT_DONE
from .job_callback import JobCallback
from .job_spec import JobSpec
from .lora_trainers import build_trainer
from .memory import dry_step
from .preparation import Prepared, prepare
from .schedule import is_servable


class Attempt(AnyAttempt):
    """Trains a job."""

    _spec: JobSpec

    def run(self) -> int:
        """Returns the exit code. Raises `JobFailure`, `Superseded`, `LeaseEnded` or `Refused`."""
        prepared = prepare(self._client, self._spec, self._work, self._events, wants_to_stop=self._wants_to_stop)
        spec = self._spec = self._spec.model_copy(update={"plan": prepared.plan})
        progress = prepared.progress
        if self._wants_to_stop():
            return self._end_stopped(progress.step)
        self._check_resumed(prepared)
        past_best = progress.is_past_best(spec.hyperparameters.early_stopping_patience)
        if progress.step < prepared.last_step and not past_best:
            self._train(prepared)
        if progress.stopped in ("pause", "cancel", "preempted"):
            return self._end_stopped(progress.step, progress.stopped)
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
            self._check_adapter(prepared, self._model(prepared), prepared.resume, step)

    def _train(self, prepared: Prepared) -> None:
        batch = self._spec.hyperparameters.batch_size
        self._until_it_fits(lambda: self._train_once(prepared), batch=batch, sizes=prepared.progress)

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
        commit = {
            "step": step,
            "trained_tokens": min(state.trained_tokens, spec.plan.total_tokens),
            "epoch": epoch,
            "metrics": finite_values(metrics),
        }
        # An attempt that goes on from here does not report the steps before it again.
        self._events.flush()
        with self._staged(folder, step, state) as (staged, files):
            reply = store_checkpoint(self._client, staged, files, spec.limits, commit)
            # A retry in this attempt goes on from here.
            if prepared.resume is not None:
                shutil.rmtree(prepared.resume, ignore_errors=True)
            prepared.resume, prepared.trained_tokens = folder, state.trained_tokens
            if reply.stop or is_servable(spec.plan, step, prepared.last_step):
                self._check_adapter(prepared, trainer.model, staged, step, last=reply.stop)
        return reply.stop

    def _check_adapter(
        self, prepared: Prepared, model: PeftModel, saved: Path, step: int, *, last: bool = False
    ) -> None:
        def on_equal() -> None:
            if last or step == prepared.last_step:
                raise unlike_base()
            self._events.message("warn", f"The adapter of step {step} answers like the base model.")

        self._fingerprint(prepared, model, saved, step, on_equal=on_equal)
