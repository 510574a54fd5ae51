-- When a GRPO run was last resumed: failures of its tools before are forgotten.

ALTER TABLE "grpo_run" ADD COLUMN "resumed_at" TIMESTAMPTZ(3);
