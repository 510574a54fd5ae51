"""What an attempt does before step 1: it fetches what the job names, and finds what cannot be trained."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .any_attempt import Language, load_language
from .checkpoint_files import JobState, fetch_checkpoint, fetch_files
from .client import TrainerClient
from .conversations import ConversationReader
from .events import Events
from .failures import JobFailure, Refused
from .job_callback import Progress
from .job_spec import DatasetFile, JobSpec, Plan
from .memory import first_micro_batch
from .schedule import DivergenceWatch, steps_of
from .training_data import TrainingData, example_key, read_training_data, require_trainable

# Between two questions whether the data is covered.
COVER_SECONDS = 1.0


@dataclass
class Prepared(Language):
    """What is known before step 1."""

    train: TrainingData
    validation: TrainingData | None
    last_step: int
    warm_start: Path | None
    resume: Path | None
    progress: Progress
    trained_tokens: int
    plan: Plan


def prepare(
    client: TrainerClient, spec: JobSpec, work: Path, events: Events, *, wants_to_stop: Callable[[], bool]
) -> Prepared:
    """Downloads into the folder `work`, and reports the data. Raises `JobFailure`.

    Returns when the data is paid for, or the attempt is to stop.
    """
    settings = spec.hyperparameters
    language = load_language(spec)
    reader = language.reader
    validation = _read_validation(client, spec, work, events, reader)
    seen = frozenset(map(example_key, validation.examples)) if validation else frozenset()
    path = _fetch_dataset(client, spec.dataset, work / "dataset.jsonl")
    train = read_training_data(path, spec.dataset, reader, settings, seen=seen)
    report = {**train.report, "template_sha256": language.template_sha256}
    events.message("info", "The training data was read.", {"data_report": report})
    plan = _report_data(client, report, wants_to_stop)
    require_trainable(train)
    resume, state = _fetch_resume(client, spec, work)
    if state is not None:
        language.require_same(state)
    return Prepared(
        **vars(language),
        train=train,
        validation=validation,
        plan=plan,
        last_step=steps_of(
            plan,
            examples=len(train.examples),
            batch_size=settings.batch_size,
            epochs=settings.n_epochs,
        ),
        warm_start=fetch_files(client, spec.warm_start, work / "warm") if spec.warm_start else None,
        resume=resume,
        progress=_progress(spec, state),
        trained_tokens=state.trained_tokens if state else 0,
    )


def _report_data(client: TrainerClient, report: dict[str, Any], wants_to_stop: Callable[[], bool]) -> Plan:
    """Says how many tokens there are. Returns the plan for them, when they are covered or the attempt is to stop."""
    counted = {name: report[name] for name in ("used", "tokens", "p50_tokens", "p95_tokens", "stop_token_trained")}
    counted["too_long"] = report["too_long"] + report["truncated"]
    counted["chat_template_sha256"] = report["template_sha256"]
    while True:
        reply = client.data(counted)
        if reply.covered or wants_to_stop():
            return reply.plan
        time.sleep(COVER_SECONDS)


def _read_validation(
    client: TrainerClient, spec: JobSpec, work: Path, events: Events, reader: ConversationReader
) -> TrainingData | None:
    if spec.validation is None:
        return None
    path = _fetch_dataset(client, spec.validation, work / "validation.jsonl")
    data = read_training_data(path, spec.validation, reader, spec.hyperparameters)
    if not data.examples:
        events.message("warn", "No example of the validation data can be used.", {"data_report": data.report})
        return None
    return data


def _fetch_dataset(client: TrainerClient, dataset: DatasetFile, to: Path) -> Path:
    try:
        client.download(dataset.url, to, sha256=dataset.sha256)
    except Refused as refusal:
        raise JobFailure("artifact_unavailable", "The training data could not be read.", retryable=True) from refusal
    return to


def _fetch_resume(client: TrainerClient, spec: JobSpec, work: Path) -> tuple[Path | None, JobState | None]:
    if spec.resume is None:
        return None, None
    folder = work / f"checkpoint-{spec.resume.step}"
    return folder, fetch_checkpoint(client, spec.resume.files, folder)


def _progress(spec: JobSpec, state: JobState | None) -> Progress:
    if state is None or spec.resume is None:
        return Progress(micro_batch=first_micro_batch(spec.hyperparameters.batch_size), watch=DivergenceWatch(None))
    return Progress(
        micro_batch=state.micro_batch,
        watch=DivergenceWatch(state.start_loss),
        step=spec.resume.step,
        best_step=state.best_step,
        best_loss=state.best_loss,
        evaluations_without_gain=state.evaluations_without_gain,
    )
