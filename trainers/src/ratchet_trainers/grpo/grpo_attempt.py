"""One attempt at a GRPO run, from the specification to the result."""

import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ..any_attempt import AnyAttempt, Language, load_language, unlike_base
from ..base_model import add_adapter, load_base
from ..checkpoint_files import JobState, fetch_checkpoint, fetch_files, store_checkpoint
from ..exit_codes import EXIT_DONE
from ..job_spec import GrpoSpec
from ..memory import first_micro_batch
from .grpo_callback import GrpoCallback
from .grpo_trainer import FleetTrainer, build_grpo_trainer
from .policy import Policy
from .steps import RunFinished, RunStopped, Steps
from .tool_calls import RunTools

# The service has stopped the run, and the next heartbeat says why.
WAIT_FOR_COMMAND_SECONDS = 30.0


@dataclass
class _Ready(Language):
    warm_start: Path | None
    resume: Path | None
    micro_batch: int


class GrpoAttempt(AnyAttempt):
    """Trains a run."""

    _spec: GrpoSpec

    def run(self) -> int:
        """Returns the exit code. Raises `JobFailure`, `Superseded`, `LeaseEnded` or `Refused`."""
        ready = self._prepare()
        if self._wants_to_stop():
            return self._end_stopped(self._spec.resume.step if self._spec.resume else 0)
        callback = self._train(ready)
        if not callback.is_finished:
            return self._end_stopped(callback.step)
        self._heartbeat.finish()
        self._client.result({"step": callback.saved_step})
        return EXIT_DONE

    def _prepare(self) -> _Ready:
        spec = self._spec
        language = load_language(spec)
        ready = _Ready(
            **vars(language),
            warm_start=fetch_files(self._client, spec.warm_start, self._work / "warm") if spec.warm_start else None,
            resume=None,
            micro_batch=first_micro_batch(self._batch),
        )
        if spec.resume is not None:
            ready.resume = self._work / f"checkpoint-{spec.resume.step}"
            state = fetch_checkpoint(self._client, spec.resume.files, ready.resume)
            ready.require_same(state)
            ready.micro_batch = state.micro_batch
        return ready

    @property
    def _batch(self) -> int:
        return self._spec.hyperparameters.prompts_per_step * self._spec.hyperparameters.group_size

    def _train(self, ready: _Ready) -> GrpoCallback:
        return self._until_it_fits(lambda: self._train_once(ready), batch=self._batch, sizes=ready)

    def _train_once(self, ready: _Ready) -> GrpoCallback:
        spec = self._spec
        model = add_adapter(load_base(spec.base_model), spec, ready.warm_start)
        policy = Policy(
            spec,
            model,
            ready.tokenizer,
            ready.reader,
            ready.stop_ids,
            RunTools(self._client),
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
            self._wait_for_command()
            if self._heartbeat.command != "cancel":
                self._save_last(trainer, callback)
        except RunFinished:
            self._save_last(trainer, callback)
            callback.is_finished = True
        return callback

    def _wait_for_command(self) -> None:
        ends = time.monotonic() + WAIT_FOR_COMMAND_SECONDS
        while not self._wants_to_stop() and time.monotonic() < ends:
            time.sleep(0.1)

    def _save_last(self, trainer: FleetTrainer, callback: GrpoCallback) -> None:
        """The run has ended before a step, so what is trained is that of the step before it."""
        if callback.step > callback.saved_step:
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
        with self._staged(folder, step, state) as (staged, files):
            store_checkpoint(self._client, staged, files, spec.limits, {"step": step, "trained_tokens": 0})
            if ready.resume is not None:
                shutil.rmtree(ready.resume, ignore_errors=True)
            ready.resume = folder

            def on_equal() -> None:
                if is_moved:
                    raise unlike_base()

            self._fingerprint(ready, trainer.model, staged, step, on_equal=on_equal)
