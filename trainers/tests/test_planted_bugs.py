"""What goes wrong in training, planted on purpose: each must be found."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaModel

from conftest import Jobs
from ratchet_trainers import checkpoint_files
from ratchet_trainers.base_model import weights_sha256
from tiny_model import TEMPLATE, TEMPLATE_WITHOUT_STOP, chat_example, polite_examples

WRONG_HASH = "0" * 64


def template(text: str, sha256: str | None = None) -> dict[str, str]:
    return {"text": text, "sha256": sha256 or hashlib.sha256(text.encode()).hexdigest()}


def failure_of(jobs: Jobs, server) -> dict:
    assert jobs.run(server) == 0
    state = server.state()
    assert state["results"] == []
    (failure,) = state["failures"]
    return failure


def test_a_template_with_another_hash_is_refused(jobs: Jobs) -> None:
    with jobs.serve(chat_template=template(TEMPLATE, WRONG_HASH)) as server:
        assert failure_of(jobs, server)["code"] == "base_model_unavailable"
        assert server.state()["durable"] == {}


def test_a_template_that_changes_between_attempts_is_refused(jobs: Jobs) -> None:
    with jobs.serve() as server:
        assert jobs.run(server) == 0
        server.forget_after(8)
        server.set_spec(chat_template=template(TEMPLATE.replace("\n", "")))
        assert jobs.run(server) == 0
        assert [failure["code"] for failure in server.state()["failures"]] == ["base_model_unavailable"]


def test_a_template_without_a_stop_token_fails_before_step_1(jobs: Jobs) -> None:
    with jobs.serve(chat_template=template(TEMPLATE_WITHOUT_STOP)) as server:
        failure = failure_of(jobs, server)
        assert failure["code"] == "invalid_training_data"
        assert "stop token" in failure["message"]
        assert server.metrics("train_loss") == {}


def test_weights_with_another_hash_are_refused(jobs: Jobs) -> None:
    for sha256, code in ((WRONG_HASH, "base_model_unavailable"), (weights_sha256(jobs.base), None)):
        base_model = {"id": "tiny/base", "source": str(jobs.base), "sha256": sha256}
        with jobs.serve(steps=2, base_model=base_model) as server:
            assert jobs.run(server) == 0
            codes = [failure["code"] for failure in server.state()["failures"]]
            assert codes == ([] if code is None else [code])


def test_a_base_model_that_is_not_there_can_be_tried_again(jobs: Jobs) -> None:
    base_model = {"id": "tiny/base", "source": str(jobs.base / "missing"), "sha256": None}
    with jobs.serve(base_model=base_model) as server:
        failure = failure_of(jobs, server)
        assert (failure["code"], failure["retryable"]) == ("base_model_unavailable", True)
        assert str(jobs.base) not in failure["message"]


def test_a_saved_file_without_the_adapter_is_found_by_its_fingerprint(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = checkpoint_files.stage_checkpoint

    def stage_nothing_learned(folder, to, **given):
        path = folder / "adapter_model.safetensors"
        save_file({name: torch.zeros_like(tensor) for name, tensor in load_file(path).items()}, path)
        return stage(folder, to, **given)

    monkeypatch.setattr("ratchet_trainers.any_attempt.stage_checkpoint", stage_nothing_learned)
    with jobs.serve(steps=4) as server:
        failure = failure_of(jobs, server)
        assert (failure["code"], failure["message"]) == (
            "internal_error",
            "The saved adapter answers like the base model.",
        )


def test_too_few_examples_fail_with_a_report(jobs: Jobs) -> None:
    broken = [{"messages": []}, chat_example("What?", "No.", weight=0), chat_example("What?", "x" * 2000)]
    with jobs.serve(train=[*polite_examples(1, 9), *broken]) as server:
        failure = failure_of(jobs, server)
        assert failure["code"] == "invalid_training_data"
        report = next(each["data"]["data_report"] for each in server.messages() if "data_report" in each["data"])
        assert (report["examples"], report["used"], report["empty"], report["too_long"]) == (12, 9, 2, 1)


def test_too_long_examples_are_dropped_cut_or_fail_the_job(jobs: Jobs) -> None:
    long = chat_example("Hello. " * 60, "Yes.")
    train = [*polite_examples(1, 15), long]
    outcomes = {}
    for choice in ("drop", "truncate_left", "fail"):
        with jobs.serve(train=train, steps=2, settings={"on_too_long": choice}) as server:
            assert jobs.run(server) == 0
            reports = [each["data"]["data_report"] for each in server.messages() if "data_report" in each["data"]]
            codes = [failure["code"] for failure in server.state()["failures"]]
            outcomes[choice] = (
                codes,
                *((report["used"], report["too_long"], report["truncated"]) for report in reports),
            )
    assert outcomes == {
        "drop": ([], (15, 1, 0)),
        "truncate_left": ([], (16, 0, 1)),
        "fail": (["invalid_training_data"],),
    }


def test_a_rate_that_makes_the_loss_explode_ends_the_job(jobs: Jobs) -> None:
    with jobs.serve(steps=60, settings={"learning_rate": 1e6}) as server:
        failure = failure_of(jobs, server)
        assert (failure["code"], failure["retryable"]) == ("diverged", False)


@contextmanager
def memory_for(sequences: int, *, after: int = 0) -> Iterator[list[int]]:
    """A machine whose memory is too small for more sequences at once, from one step to the next."""
    seen: list[int] = []

    def require_room(module: torch.nn.Module, args: tuple, kwargs: dict) -> None:
        if isinstance(module, LlamaModel) and module.training:
            ids = kwargs["input_ids"] if "input_ids" in kwargs else args[0]
            seen.append(ids.shape[0])
            if ids.shape[0] > sequences and len(seen) > after:
                raise torch.OutOfMemoryError("out of memory (planted)")

    original = LlamaModel.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        self.register_forward_pre_hook(require_room, with_kwargs=True)

    LlamaModel.__init__ = init
    try:
        yield seen
    finally:
        LlamaModel.__init__ = original


def test_too_little_memory_halves_the_sequences_at_once_and_trains_the_same(jobs: Jobs) -> None:
    with jobs.serve(steps=6) as server:
        assert jobs.run(server) == 0
        expected = server.metrics("train_loss")
    with jobs.serve(steps=6) as server, memory_for(4) as seen:
        assert jobs.run(server) == 0
        assert server.state()["failures"] == []
        assert server.metrics("train_loss") == pytest.approx(expected, rel=1e-4)
        assert max(seen[1:]) == 4


def test_memory_that_runs_out_later_costs_only_the_steps_since_the_last_checkpoint(jobs: Jobs) -> None:
    with jobs.serve() as server:
        assert jobs.run(server) == 0
        expected = server.metrics("train_loss")
    # One dry step and seven others fit; the checkpoint of step 4 is there.
    with jobs.serve() as server, memory_for(4, after=8) as seen:
        assert jobs.run(server) == 0
        state = server.state()
        assert (state["failures"], state["generation"]) == ([], 1)
        assert server.metrics("train_loss") == pytest.approx(expected, rel=1e-4)
        # A second dry step, then two halves for each of the steps 5 to 12.
        assert seen == [8] * 9 + [4] + [4] * 16


def test_still_too_little_memory_fails_the_job(jobs: Jobs) -> None:
    with jobs.serve(steps=6) as server, memory_for(2):
        assert failure_of(jobs, server)["code"] == "out_of_memory"


def test_a_checkpoint_that_was_changed_in_the_store_is_not_resumed(jobs: Jobs) -> None:
    with jobs.serve() as server:
        assert jobs.run(server) == 0
        server.forget_after(8)
        server.corrupt_file(8, "optimizer.safetensors")
        assert jobs.run(server) == 0
        (failure,) = server.state()["failures"]
        assert (failure["code"], failure["retryable"]) == ("artifact_unavailable", True)
