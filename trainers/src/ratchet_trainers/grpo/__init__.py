"""Runs of GRPO: the fleet chooses prompts and rewards answers, the trainer samples and trains."""
