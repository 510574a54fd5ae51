"""Reads the data sets of a job, and reports what of them is trained."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .conversations import ConversationReader, Pair, Turns, Unusable
from .failures import JobFailure
from .job_spec import DatasetFile, Hyperparameters

MIN_EXAMPLES = 10


@dataclass(frozen=True)
class TrainingData:
    examples: list[Turns | Pair]
    report: dict[str, Any]


def read_training_data(
    path: Path,
    dataset: DatasetFile,
    reader: ConversationReader,
    limits: Hyperparameters,
    *,
    seen: frozenset[tuple[int, ...]] = frozenset(),
) -> TrainingData:
    """Reads every example in order. `seen` are the examples of the validation set, by their tokens.

    Raises `JobFailure` where a too long example is to fail the job.
    """
    examples: list[Turns | Pair] = []
    counts: Counter[str] = Counter()
    known: set[tuple[int, ...]] = set()
    for line in _lines(path):
        counts["examples"] += 1
        try:
            example = _fit(_read(line, dataset, reader), limits, counts)
        except Unusable as problem:
            counts[problem.reason] += 1
            continue
        key = example_key(example)
        counts["duplicates"] += key in known
        counts["leaked_from_eval"] += key in seen
        known.add(key)
        examples.append(example)
    return TrainingData(examples, _report(examples, counts))


def require_trainable(data: TrainingData) -> None:
    """Raises `JobFailure` when the examples are too few, or would teach the model not to stop."""
    if len(data.examples) < MIN_EXAMPLES:
        raise JobFailure(
            "invalid_training_data",
            f"{len(data.examples)} of {data.report['examples']} examples can be used, at least {MIN_EXAMPLES} are "
            f"needed: {_problems(data.report)}.",
        )
    if not data.report["stop_token_trained"]:
        raise JobFailure(
            "invalid_training_data",
            "The chat template ends an answer without a stop token, so the model would never learn to stop.",
        )


def example_key(example: Turns | Pair) -> tuple[int, ...]:
    if isinstance(example, Turns):
        return tuple(example.input_ids)
    return (*example.prompt_ids, -1, *example.chosen_ids, -1, *example.rejected_ids)


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield line


def _read(line: str, dataset: DatasetFile, reader: ConversationReader) -> Turns | Pair:
    try:
        example = json.loads(line)
    except ValueError as error:
        raise Unusable("unreadable") from error
    if not isinstance(example, dict):
        raise Unusable("unreadable")
    return reader.chat(example) if dataset.format == "chat" else reader.preference(example)


def _fit(example: Turns | Pair, limits: Hyperparameters, counts: Counter[str]) -> Turns | Pair:
    if example.longest <= limits.max_sequence_length:
        return example
    if limits.on_too_long == "fail":
        raise JobFailure(
            "invalid_training_data",
            f"Example {counts['examples']} has {example.longest} tokens, more than {limits.max_sequence_length}.",
        )
    if limits.on_too_long == "drop":
        raise Unusable("too_long")
    cut = example.cut_left(limits.max_sequence_length)
    counts["truncated"] += 1
    return cut


def _report(examples: list[Turns | Pair], counts: Counter[str]) -> dict[str, Any]:
    lengths = sorted(example.tokens for example in examples)
    stops = sum(example.stops for example in examples)
    counters = ("too_long", "truncated", "empty", "unreadable", "template", "equal_answers")
    return {
        "examples": counts["examples"],
        "used": len(examples),
        **{name: counts[name] for name in counters},
        "tokens": sum(lengths),
        "p50_tokens": _quantile(lengths, 0.5),
        "p95_tokens": _quantile(lengths, 0.95),
        "longest_tokens": max((example.longest for example in examples), default=0),
        "duplicates": counts["duplicates"],
        "leaked_from_eval": counts["leaked_from_eval"],
        # A template may end a call of a tool in another way than an answer.
        "stop_token_trained": bool(examples) and 2 * stops >= len(examples),
    }


def _quantile(sorted_lengths: list[int], share: float) -> int:
    return sorted_lengths[min(int(share * len(sorted_lengths)), len(sorted_lengths) - 1)] if sorted_lengths else 0


def _problems(report: dict[str, Any]) -> str:
    reasons = ("too_long", "empty", "unreadable", "template", "equal_answers")
    return ", ".join(f"{report[reason]} {reason}" for reason in reasons)
