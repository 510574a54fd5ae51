"""TRL's trainers for data that is in tokens already."""

from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import PeftModel
from transformers import PreTrainedTokenizerBase, PrinterCallback, TrainerCallback
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

from .base_model import on_gpu
from .conversations import Pair, Turns
from .job_spec import JobSpec
from .schedule import warmup_steps

DEFAULT_BETA = 0.1


class _CountsTokens:
    """Counts the tokens that were trained on, as they are charged: a pair counts its prompt once."""

    trained_tokens = 0

    def training_step(self, model: Any, inputs: dict[str, torch.Tensor], *args: Any, **kwargs: Any) -> torch.Tensor:
        self.trained_tokens += _tokens_of(inputs)
        return super().training_step(model, inputs, *args, **kwargs)


class TurnsTrainer(_CountsTokens, SFTTrainer):
    """Supervised: the labels say which tokens are trained."""


class PairsTrainer(_CountsTokens, DPOTrainer):
    """Direct preference optimisation."""

    def _prepare_dataset(self, dataset: Dataset, *_args: Any, **_kwargs: Any) -> Dataset:
        return dataset


def build_trainer(
    spec: JobSpec,
    model: PeftModel,
    tokenizer: PreTrainedTokenizerBase,
    *,
    train: list[Turns | Pair],
    validation: list[Turns | Pair],
    micro_batch: int,
    steps: int,
    folder: Path,
    callback: TrainerCallback,
) -> TurnsTrainer | PairsTrainer:
    settings = spec.hyperparameters
    arguments = {
        "output_dir": str(folder),
        "per_device_train_batch_size": micro_batch,
        "per_device_eval_batch_size": micro_batch,
        "gradient_accumulation_steps": settings.batch_size // micro_batch,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": "linear",
        "warmup_steps": warmup_steps(steps),
        "max_steps": steps,
        "seed": spec.seed,
        "data_seed": spec.seed,
        "logging_steps": 1,
        # A loss that is no number must be seen.
        "logging_nan_inf_filter": False,
        # The callback decides when to save and to evaluate.
        "save_strategy": "no",
        "eval_strategy": "no",
        "report_to": [],
        "disable_tqdm": True,
        "use_cpu": not on_gpu(),
        "bf16": on_gpu(),
        "gradient_checkpointing": on_gpu(),
        "max_length": None,
    }
    given = {
        "model": model,
        "processing_class": tokenizer,
        "train_dataset": _dataset(train),
        "eval_dataset": _dataset(validation) if validation else None,
        "callbacks": [callback],
    }
    trainer: TurnsTrainer | PairsTrainer
    if spec.kind == "supervised":
        trainer = TurnsTrainer(args=SFTConfig(**arguments, dataset_kwargs={"skip_prepare_dataset": True}), **given)
    else:
        trainer = PairsTrainer(args=DPOConfig(**arguments, beta=settings.beta or DEFAULT_BETA), **given)
    # The values are events of the job.
    trainer.remove_callback(PrinterCallback)
    return trainer


def _dataset(examples: list[Turns | Pair]) -> Dataset:
    return Dataset.from_list([example.row() for example in examples])


def _tokens_of(inputs: dict[str, torch.Tensor]) -> int:
    mask = inputs["attention_mask"]
    if "completion_mask" not in inputs:
        return int(mask.sum())
    # The first half of the batch are the preferred answers.
    pairs = mask.shape[0] // 2
    return int(mask[:pairs].sum() + inputs["completion_mask"][pairs:].sum())
