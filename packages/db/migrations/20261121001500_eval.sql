-- Evals: comparisons of models on logged prompts. Only the eval service writes these tables.

DO $$
BEGIN
  BEGIN
    CREATE ROLE ratchet_eval NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
  END;
  GRANT ratchet_eval TO CURRENT_USER;
  GRANT USAGE ON SCHEMA public TO ratchet_eval;
END
$$;

CREATE TYPE "eval_status" AS ENUM ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED');
CREATE TYPE "eval_sample_state" AS ENUM ('pending', 'leased', 'done', 'poisoned');

CREATE TABLE "eval_run" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "status" "eval_status" NOT NULL DEFAULT 'PENDING',
  "baseline_model" TEXT NOT NULL,
  "candidate_models" TEXT[] NOT NULL,
  -- JSON texts: the request, and the judge at that time.
  "request" TEXT NOT NULL,
  "judge" TEXT NOT NULL,
  "max_cost_nano" BIGINT,
  -- Null before the samples are drawn.
  "samples_total" INTEGER,
  -- JSON text.
  "report" TEXT,
  "error" TEXT,
  -- Webhook for the eval's end, and its delivery.
  "webhook_url" TEXT,
  "webhook_due_at" TIMESTAMPTZ(3),
  "webhook_attempts" INTEGER NOT NULL DEFAULT 0,
  "webhook_delivered_at" TIMESTAMPTZ(3),
  "webhook_error" TEXT,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  -- The lease of a step that is not a sample.
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "eval_run_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "eval_run_finished_check" CHECK (("status" IN ('PENDING', 'RUNNING')) = ("finished_at" IS NULL))
);
CREATE INDEX "eval_run_newest_idx" ON "eval_run"("workspace_id", "created_at" DESC, "id" DESC);
-- Evals with open work; a cancelled one still needs its report.
CREATE INDEX "eval_run_open_idx" ON "eval_run"("created_at")
  WHERE "status" IN ('PENDING', 'RUNNING') OR ("status" = 'CANCELLED' AND "report" IS NULL);

CREATE INDEX "eval_run_webhook_idx" ON "eval_run"("webhook_due_at") WHERE "webhook_due_at" IS NOT NULL;

-- A prompt that every model answers: a work item, then its result.
CREATE TABLE "eval_sample" (
  -- Derived from eval, position and repetition, so that a repeated draw adds no row.
  "id" UUID NOT NULL,
  "run_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "position" INTEGER NOT NULL,
  "repetition" INTEGER NOT NULL,
  -- Samples of one prompt, or of one agent run, are not independent.
  "cluster" TEXT NOT NULL,
  "log_id" UUID,
  "trace_id" TEXT,
  "step_index" INTEGER,
  -- When its log entry expires, and the texts here with it.
  "expires_at" TIMESTAMPTZ(3),
  -- JSON texts: the prompt, the stored answer, its cost and latency. Null after expiry.
  "prompt" TEXT,
  "reference" TEXT,
  "recorded" TEXT,
  "state" "eval_sample_state" NOT NULL DEFAULT 'pending',
  "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "generation" INTEGER NOT NULL DEFAULT 0,
  -- Times leased, and failures. Work whose process dies counts only as an attempt.
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "last_error" TEXT,
  -- `win`, `loss`, `tie` or `error` per candidate; null until it is done or dead-lettered.
  "outcomes" TEXT[],
  -- Why a sample ended without all verdicts: `gone`, `over_cap`.
  "failure" TEXT,
  CONSTRAINT "eval_sample_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "eval_sample_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "eval_run"("id") ON DELETE CASCADE,
  CONSTRAINT "eval_sample_done_check" CHECK (("state" IN ('done', 'poisoned')) = ("outcomes" IS NOT NULL))
);
CREATE UNIQUE INDEX "eval_sample_place_key" ON "eval_sample"("run_id", "position", "repetition");
CREATE INDEX "eval_sample_due_idx" ON "eval_sample"("due_at") WHERE "state" IN ('pending', 'leased');
-- Texts to delete with a log entry.
CREATE INDEX "eval_sample_expiry_idx" ON "eval_sample"("expires_at") WHERE "expires_at" IS NOT NULL AND "prompt" IS NOT NULL;
CREATE INDEX "eval_sample_log_idx" ON "eval_sample"("workspace_id", "log_id") WHERE "log_id" IS NOT NULL AND "prompt" IS NOT NULL;

-- The answer of a model to a sample. Index 0 is the baseline; the candidates follow in order.
CREATE TABLE "eval_answer" (
  "sample_id" UUID NOT NULL,
  "model_index" SMALLINT NOT NULL,
  "run_id" UUID NOT NULL,
  -- The assistant's message, JSON text; null without an answer, or after expiry.
  "message" TEXT,
  "error" TEXT,
  -- The stored answer was used: no call and no charge.
  "recorded" BOOLEAN NOT NULL DEFAULT false,
  -- Null for a stored answer whose cost is unknown.
  "cost_nano" BIGINT DEFAULT 0,
  "latency_ms" DOUBLE PRECISION,
  -- JSON text: per assertion, whether it passed.
  "assertions" TEXT NOT NULL DEFAULT '{}',
  CONSTRAINT "eval_answer_pkey" PRIMARY KEY ("sample_id", "model_index"),
  CONSTRAINT "eval_answer_sample_id_fkey" FOREIGN KEY ("sample_id") REFERENCES "eval_sample"("id") ON DELETE CASCADE
);
CREATE INDEX "eval_answer_run_idx" ON "eval_answer"("run_id");

-- The judge's verdict on the baseline and one candidate.
CREATE TABLE "eval_look" (
  "sample_id" UUID NOT NULL,
  "candidate_index" SMALLINT NOT NULL,
  -- Whether the candidate was shown first.
  "swapped" BOOLEAN NOT NULL,
  "run_id" UUID NOT NULL,
  -- `first`, `second` or `tie`. A failure is `unparseable`, `too_large`, `refused` or `unfinished`.
  "preference" TEXT,
  "failure" TEXT,
  "explanation" TEXT,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "eval_look_pkey" PRIMARY KEY ("sample_id", "candidate_index", "swapped"),
  CONSTRAINT "eval_look_sample_id_fkey" FOREIGN KEY ("sample_id") REFERENCES "eval_sample"("id") ON DELETE CASCADE,
  CONSTRAINT "eval_look_outcome_check" CHECK (("preference" IS NULL) <> ("failure" IS NULL))
);
CREATE INDEX "eval_look_run_idx" ON "eval_look"("run_id");

DO $$
BEGIN
  ALTER TABLE "eval_sample" ALTER COLUMN "prompt" SET COMPRESSION lz4, ALTER COLUMN "reference" SET COMPRESSION lz4;
  ALTER TABLE "eval_answer" ALTER COLUMN "message" SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END
$$;

GRANT SELECT, INSERT, UPDATE ON "eval_run", "eval_sample", "eval_answer", "eval_look" TO ratchet_eval;
