-- GRPO runs. A run is a training job with the method `grpo`, which has its attempts, checkpoints, leases and money, and a row of
-- `grpo_run` with the same id, which has its reward and its guard. Only the training service writes these tables.

ALTER TABLE "training_job"
  DROP CONSTRAINT "training_job_method_check",
  ADD CONSTRAINT "training_job_method_check" CHECK ("method" IN ('supervised', 'dpo', 'grpo'));

CREATE TABLE "grpo_run" (
  -- That of its training job.
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  -- JSON texts: hyperparameters, reward, hold-out and audit without any default left out; judges as they were; warnings.
  "settings" TEXT NOT NULL,
  "judges" TEXT NOT NULL,
  "warnings" TEXT NOT NULL,
  "prompts_sha256" TEXT NOT NULL,
  -- Prices when the run was created, nano-dollars per million tokens.
  "train_nano_per_mtok" BIGINT NOT NULL,
  "sample_nano_per_mtok" BIGINT NOT NULL,
  -- Nano-dollars: what the user allowed, and the part of it for judges. The rest is the maximum of the training job.
  "max_cost_nano" BIGINT NOT NULL,
  "judging_cap_nano" BIGINT NOT NULL,
  "judge_cost_nano" BIGINT NOT NULL DEFAULT 0,
  -- `training`, then `awaiting_adoption`, `rejected` or `failed`; a job that was cancelled stays in `training`.
  "stage" TEXT NOT NULL DEFAULT 'training',
  -- Why it was paused last: `user`, `criterion_trust_lost`, `reward_diverged`, `policy_mismatch` or `credit`.
  "paused_reason" TEXT,
  -- For the user: why it is paused, failed or ended early.
  "status_message" TEXT,
  -- Why it fails although its trainer does not.
  "error_code" TEXT,
  -- The step that is its last, when it ends before the planned one, and why: `max_cost`, `plateau` or `diverged`.
  "finish_step" INTEGER,
  "finish_reason" TEXT,
  "reward_baseline" DOUBLE PRECISION,
  "reward_current" DOUBLE PRECISION,
  "guard_verdict" TEXT NOT NULL DEFAULT 'collecting',
  -- The greatest gap that the user has accepted by resuming.
  "accepted_gap" DOUBLE PRECISION NOT NULL DEFAULT 0,
  "best_step" INTEGER,
  -- The version of the best checkpoint.
  "model_version_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "staged_at" TIMESTAMPTZ(3),
  CONSTRAINT "grpo_run_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "grpo_run_id_fkey" FOREIGN KEY ("id") REFERENCES "training_job"("id") ON DELETE CASCADE,
  CONSTRAINT "grpo_run_stage_check" CHECK ("stage" IN ('training', 'awaiting_adoption', 'rejected', 'failed')),
  CONSTRAINT "grpo_run_money_check" CHECK ("judging_cap_nano" >= 0 AND "judging_cap_nano" < "max_cost_nano" AND "judge_cost_nano" >= 0)
);
CREATE INDEX "grpo_run_newest_idx" ON "grpo_run"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "grpo_run_open_idx" ON "grpo_run"("created_at") WHERE "stage" IN ('training', 'awaiting_adoption');

-- Prompts of a run: those that are trained on, those of looks (`guard`), and those that only the eval of the result uses (`proof`).
CREATE TABLE "grpo_prompt" (
  "run_id" UUID NOT NULL,
  "part" TEXT NOT NULL,
  -- From 0, in a random order.
  "place" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- JSON texts.
  "messages" TEXT NOT NULL,
  "tools" TEXT,
  -- What functions compare with; null without a reply in the dataset.
  "reference" TEXT,
  CONSTRAINT "grpo_prompt_pkey" PRIMARY KEY ("run_id", "part", "place"),
  CONSTRAINT "grpo_prompt_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "grpo_run"("id") ON DELETE CASCADE,
  CONSTRAINT "grpo_prompt_part_check" CHECK ("part" IN ('train', 'guard', 'proof'))
);

-- A step, or a look with the policy after that step. It is sampled once and judged once, whatever happens to trainers.
CREATE TABLE "grpo_step" (
  "id" UUID NOT NULL,
  "run_id" UUID NOT NULL,
  "kind" TEXT NOT NULL,
  "step" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'sampling',
  -- JSON text: the place of the prompt of each group.
  "groups" TEXT NOT NULL,
  -- How many groups the step began with, and answers of a group.
  "first_groups" INTEGER NOT NULL,
  "samples" INTEGER NOT NULL,
  -- Rounds in which groups without variance were replaced.
  "resamples" INTEGER NOT NULL DEFAULT 0,
  "sampled_tokens" BIGINT NOT NULL DEFAULT 0,
  "trained_tokens" BIGINT,
  -- JSON texts: figures of the rewards, and of the trainer or of the guard.
  "figures" TEXT,
  "stats" TEXT,
  "judge_cost_nano" BIGINT NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "rewarded_at" TIMESTAMPTZ(3),
  "trained_at" TIMESTAMPTZ(3),
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "grpo_step_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "grpo_step_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "grpo_run"("id") ON DELETE CASCADE,
  CONSTRAINT "grpo_step_kind_check" CHECK ("kind" IN ('step', 'look')),
  CONSTRAINT "grpo_step_state_check" CHECK ("state" IN ('sampling', 'judging', 'rewarded', 'trained'))
);
CREATE UNIQUE INDEX "grpo_step_key" ON "grpo_step"("run_id", "kind", "step");
CREATE INDEX "grpo_step_open_idx" ON "grpo_step"("created_at") WHERE "state" = 'judging';

-- An answer of the policy.
CREATE TABLE "grpo_rollout" (
  "id" UUID NOT NULL,
  "step_id" UUID NOT NULL,
  "run_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "group" INTEGER NOT NULL,
  "index" INTEGER NOT NULL,
  -- JSON texts, as the trainer sent them.
  "completion" TEXT NOT NULL,
  "token_ids" TEXT NOT NULL,
  "logprobs" TEXT NOT NULL,
  "token_mask" TEXT,
  "sampled_tokens" INTEGER NOT NULL,
  "truncated" BOOLEAN NOT NULL,
  "entropy" DOUBLE PRECISION,
  "adapter_version" INTEGER NOT NULL,
  -- Null before it is judged.
  "reward" DOUBLE PRECISION,
  -- JSON text: values of the terms by name.
  "terms" TEXT,
  "advantage" DOUBLE PRECISION,
  "used" BOOLEAN,
  -- Of a look: what the hold-out judge thinks, from 0 to 1.
  "holdout" DOUBLE PRECISION,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "grpo_rollout_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "grpo_rollout_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "grpo_step"("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "grpo_rollout_key" ON "grpo_rollout"("step_id", "group", "index");
CREATE INDEX "grpo_rollout_run_idx" ON "grpo_rollout"("run_id");

-- What a judge said of an answer.
CREATE TABLE "grpo_verdict" (
  "rollout_id" UUID NOT NULL,
  -- `reward` or `holdout`.
  "role" TEXT NOT NULL,
  "criterion_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "judge_model" TEXT NOT NULL,
  "instrument" INTEGER NOT NULL,
  -- Null: the judge gave none.
  "verdict" TEXT,
  "explanation" TEXT,
  "cost_nano" BIGINT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "grpo_verdict_pkey" PRIMARY KEY ("rollout_id", "role", "criterion_id"),
  CONSTRAINT "grpo_verdict_rollout_id_fkey" FOREIGN KEY ("rollout_id") REFERENCES "grpo_rollout"("id") ON DELETE CASCADE
);

-- Grades of people of answers of looks. They are no labels of a criterion, so they never calibrate the judges of the reward.
CREATE TABLE "grpo_grade" (
  "id" UUID NOT NULL,
  "rollout_id" UUID NOT NULL,
  "run_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "verdict" TEXT NOT NULL,
  "rationale" TEXT,
  "grader" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "grpo_grade_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "grpo_grade_rollout_id_fkey" FOREIGN KEY ("rollout_id") REFERENCES "grpo_rollout"("id") ON DELETE CASCADE,
  CONSTRAINT "grpo_grade_verdict_check" CHECK ("verdict" IN ('pass', 'fail'))
);
CREATE INDEX "grpo_grade_rollout_idx" ON "grpo_grade"("rollout_id");
CREATE INDEX "grpo_grade_run_idx" ON "grpo_grade"("run_id");

GRANT SELECT, INSERT, UPDATE ON "grpo_run", "grpo_step", "grpo_rollout" TO ratchet_training;
GRANT SELECT, INSERT ON "grpo_prompt", "grpo_verdict", "grpo_grade" TO ratchet_training;
