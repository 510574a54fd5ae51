"""TRL's trainer, with answers and rewards that come from the fleet."""

from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import PeftModel
from transformers import PreTrainedTokenizerBase, PrinterCallback, TrainerCallback, TrainerState
from trl import GRPOConfig, GRPOTrainer

from ..base_model import on_gpu
from ..job_spec import GrpoSpec
from .steps import Row, Steps

# The prompts are the fleet's, so the data set of the trainer has none.
NO_PROMPT = [{"role": "user", "content": "-"}]


class FleetTrainer(GRPOTrainer):
    """Trains on the rows of a step with the advantages of the fleet.

    Each token is weighted by how much more probable it is here than for the engine that sampled it, up to a cap.
    """

    def __init__(self, spec: GrpoSpec, steps: Steps, **given: Any) -> None:
        self._spec = spec
        self._steps = steps
        self._played: tuple[int, list[Row]] = (0, [])
        self.gaps: tuple[float, float] = (0.0, 0.0)
        """Mean and maximum of the differences between logprobs of this step here and where it was sampled."""
        self.step_tokens = 0
        """Tokens that the last step trained on."""
        super().__init__(reward_funcs=self._rewards, rollout_func=self._rollouts, **given)

    def _rollouts(self, prompts: list[Any], _trainer: GRPOTrainer) -> dict[str, list[Any]]:
        rows = self._rows(self.state, len(prompts))
        return {
            "prompt_ids": [row.prompt_ids for row in rows],
            "completion_ids": [row.rollout.token_ids for row in rows],
            "logprobs": [row.rollout.logprobs for row in rows],
            "env_mask": [row.rollout.token_mask or [1] * len(row.rollout.token_ids) for row in rows],
        }

    async def _rewards(self, prompts: list[Any], trainer_state: TrainerState, **_: Any) -> list[float]:
        return [row.reward.reward for row in self._rows(trainer_state, len(prompts))]

    def _rows(self, state: TrainerState, count: int) -> list[Row]:
        step = state.global_step + 1
        if self._played[0] != step:
            self._played = (step, self._steps.play(step, count))
        return self._played[1]

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        output = super()._generate_and_score_completions(inputs)
        rows = self._rows(self.state, len(inputs))
        device = output["completion_ids"].device
        trained = torch.tensor([self._is_trained(row) for row in rows], device=device).unsqueeze(1)
        ids = torch.cat([output["prompt_ids"], output["completion_ids"]], dim=1)
        attention = torch.cat([output["prompt_mask"], output["completion_mask"]], dim=1)
        with torch.no_grad():
            here, _, _ = self._get_per_token_logps_and_entropies(
                self.model,
                ids,
                attention,
                output["completion_ids"].size(1),
                batch_size=self.args.per_device_train_batch_size,
            )
        sampled = (output["completion_mask"] * output["tool_mask"]).bool()
        difference = (here - output["sampling_per_token_logps"]).masked_fill(~sampled, 0.0)
        gap = difference.abs()[sampled]
        self.gaps = (gap.mean().item(), gap.max().item()) if gap.numel() > 0 else (0.0, 0.0)
        weights = difference.exp().clamp(max=self._spec.hyperparameters.importance_cap)
        advantages = torch.tensor([row.reward.advantage for row in rows], device=device).unsqueeze(1)
        mask = sampled & trained
        self.step_tokens = int(mask.sum())
        output["tool_mask"] = mask.long()
        output["advantages"] = advantages * weights
        output["num_items_in_batch"] = mask.sum()
        return output

    def _is_trained(self, row: Row) -> bool:
        return row.reward.used and not (self._spec.hyperparameters.mask_truncated and row.rollout.truncated)


def build_grpo_trainer(
    spec: GrpoSpec,
    steps: Steps,
    model: PeftModel,
    tokenizer: PreTrainedTokenizerBase,
    *,
    micro_batch: int,
    folder: Path,
    callback: TrainerCallback,
) -> FleetTrainer:
    settings = spec.hyperparameters
    batch = settings.prompts_per_step * settings.group_size
    arguments = GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=micro_batch,
        gradient_accumulation_steps=batch // micro_batch,
        steps_per_generation=batch // micro_batch,
        num_generations=settings.group_size,
        max_completion_length=settings.max_output_tokens,
        # Logits are divided by it, also where answers were drawn with 0.
        temperature=settings.temperature or 1.0,
        beta=settings.kl_beta,
        loss_type="grpo" if settings.loss_method == "gspo" else settings.loss_method,
        importance_sampling_level="sequence" if settings.loss_method == "gspo" else "token",
        scale_rewards="none" if settings.loss_method == "dr_grpo" else "group",
        learning_rate=settings.learning_rate,
        lr_scheduler_type="constant",
        max_steps=spec.plan.total_steps,
        seed=spec.seed,
        data_seed=spec.seed,
        logging_steps=1,
        logging_nan_inf_filter=False,
        # The callback decides when to save.
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        ignore_data_skip=True,
        use_cpu=not on_gpu(),
        bf16=on_gpu(),
        gradient_checkpointing=on_gpu(),
    )
    trainer = FleetTrainer(
        spec,
        steps,
        model=model,
        args=arguments,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list([{"prompt": NO_PROMPT}] * settings.prompts_per_step),
        callbacks=[callback],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer
