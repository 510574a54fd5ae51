"""The process around an attempt: variables, signals, exit codes."""

import importlib.metadata
import logging
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from .client import TrainerClient
from .events import Events
from .exit_codes import EXIT_DONE, EXIT_LOST
from .failures import JobFailure, LeaseEnded, Refused, Superseded
from .heartbeat import Heartbeat

if TYPE_CHECKING:
    from .any_attempt import AnyAttempt

log = logging.getLogger(__name__)


def run_process(env: Mapping[str, str]) -> int:
    """Runs the attempt of the variables `RATCHET_TRAINER_URL` and `RATCHET_JOB_TOKEN`. Returns the exit code."""
    missing = [name for name in ("RATCHET_TRAINER_URL", "RATCHET_JOB_TOKEN") if not env.get(name)]
    if missing:
        log.error("Set %s.", " and ".join(missing))
        return EXIT_LOST
    asked_to_stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked_to_stop.set())
    client = TrainerClient(env["RATCHET_TRAINER_URL"], env["RATCHET_JOB_TOKEN"])
    work = Path(tempfile.mkdtemp(prefix="ratchet-trainer-"))

    def leave_at_once(error: Exception) -> None:
        # The main thread may be inside a step that takes minutes, and nothing that it does is wanted any more.
        log.warning("Heartbeats ended: %s", error)
        shutil.rmtree(work, ignore_errors=True)
        os._exit(EXIT_DONE if isinstance(error, Superseded) else EXIT_LOST)

    try:
        return run_attempt(client, work, is_preempted=asked_to_stop.is_set, on_lost=leave_at_once)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        client.close()


def run_attempt(
    client: TrainerClient,
    work: Path,
    *,
    is_preempted: Callable[[], bool],
    on_lost: Callable[[Exception], None],
) -> int:
    """Runs an attempt and reports how it ended. `on_lost` is called by another thread when heartbeats fail."""
    try:
        spec = client.spec()
        events = Events(client, spec.limits.max_events)
        step = spec.resume.step if spec.resume else 0
        heartbeat = Heartbeat(client, events, seconds=spec.limits.heartbeat_seconds, step=step)
        heartbeat.start(on_lost)
        try:
            events.message("info", f"Attempt {spec.attempt} begins at step {step}.", {"versions": _package_versions()})
            # The service hears of this attempt before PyTorch is loaded, which can take longer than a lease.
            from .new_attempt import new_attempt

            attempt = new_attempt(client, spec, work, events=events, heartbeat=heartbeat, is_preempted=is_preempted)
            return _reported(client, heartbeat, attempt)
        finally:
            heartbeat.stop()
    except Superseded as error:
        log.info("Another attempt goes on: %s", error)
        return EXIT_DONE
    except (LeaseEnded, Refused):
        log.exception("The attempt is lost.")
        return EXIT_LOST


def _reported(client: TrainerClient, heartbeat: Heartbeat, attempt: "AnyAttempt") -> int:
    try:
        return attempt.run()
    except (Superseded, LeaseEnded):
        raise
    except JobFailure as failure:
        log.warning("The job failed: %s %s", failure.code, failure.message)
        heartbeat.finish()
        client.failure(failure.code, failure.message, retryable=failure.retryable)
        return EXIT_DONE
    except Exception as error:
        log.exception("The attempt failed.")
        heartbeat.finish()
        client.failure("internal_error", f"The trainer failed: {type(error).__name__}.", retryable=True)
        # The service refused a call that a right trainer would not have made.
        return EXIT_LOST if isinstance(error, Refused) else EXIT_DONE


def _package_versions() -> dict[str, str]:
    names = ("torch", "transformers", "trl", "peft")
    return {name: importlib.metadata.version(name) for name in names}
