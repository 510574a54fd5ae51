-- Judges and their ground truth. A work item and its result are one row; queues only notify workers.

DO $$
BEGIN
  BEGIN
    CREATE ROLE ratchet_judging NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
  END;
  GRANT ratchet_judging TO CURRENT_USER;
  GRANT USAGE ON SCHEMA public TO ratchet_judging;
END
$$;

CREATE TYPE "criterion_status" AS ENUM ('draft', 'retired');
CREATE TYPE "criterion_source" AS ENUM ('human', 'assist_suggested');
CREATE TYPE "criterion_unit" AS ENUM ('request', 'trace');
CREATE TYPE "verdict" AS ENUM ('pass', 'fail');
CREATE TYPE "drift_signal" AS ENUM ('stale', 'quality_drop');
CREATE TYPE "label_source" AS ENUM ('api', 'review_queue', 'import');
CREATE TYPE "judge_run_status" AS ENUM ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'VOIDED');
CREATE TYPE "judge_run_kind" AS ENUM ('calibration', 'scan', 'suggestion', 'improvement', 'drift_replay');
CREATE TYPE "judgement_source" AS ENUM ('online', 'scan', 'calibration', 'gate', 'improvement', 'drift_replay');
CREATE TYPE "judgement_state" AS ENUM ('pending', 'leased', 'done', 'poisoned');

CREATE TABLE "criterion" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "judge_prompt" TEXT NOT NULL,
  "judge_model" TEXT NOT NULL,
  "status" "criterion_status" NOT NULL DEFAULT 'draft',
  "source" "criterion_source" NOT NULL DEFAULT 'human',
  "unit" "criterion_unit" NOT NULL DEFAULT 'request',
  "population" TEXT NOT NULL DEFAULT '',
  "population_family" TEXT NOT NULL DEFAULT '',
  "online_enabled" BOOLEAN NOT NULL DEFAULT FALSE,
  "online_percent" INTEGER NOT NULL DEFAULT 5,
  "online_cap_nano" BIGINT NOT NULL DEFAULT 0,
  "drift_signal" "drift_signal",
  "drift_reason" TEXT,
  "drift_checked_at" TIMESTAMPTZ(3),
  -- Consecutive sweeps with a normal live rate after a drop.
  "drift_clear_sweeps" INTEGER NOT NULL DEFAULT 0,
  -- Grows with every change of the instrument; judgements of older ones do not count.
  "instrument" INTEGER NOT NULL DEFAULT 1,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "criterion_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "criterion_percent_check" CHECK ("online_percent" BETWEEN 0 AND 100),
  CONSTRAINT "criterion_cap_check" CHECK ("online_cap_nano" >= 0),
  CONSTRAINT "criterion_drift_check" CHECK (("drift_signal" IS NULL) = ("drift_reason" IS NULL))
);
CREATE INDEX "criterion_newest_idx" ON "criterion"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "criterion_online_idx" ON "criterion"("workspace_id") WHERE "online_enabled" AND "status" = 'draft';

-- Ground truth, append-only: rows are marked when a later grade supersedes them. They outlive criteria and logs.
CREATE TABLE "label" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- Null: a grade of the complete exchange. No foreign key: it outlives its criterion.
  "criterion_id" UUID,
  "unit" "criterion_unit" NOT NULL DEFAULT 'request',
  "log_id" UUID,
  "trace_id" TEXT,
  -- The graded log entry, or the hash of the imported item.
  "item_key" TEXT NOT NULL,
  "label" "verdict" NOT NULL,
  "rationale" TEXT,
  "grader_id" TEXT NOT NULL,
  "source" "label_source" NOT NULL,
  "blind" BOOLEAN NOT NULL,
  "external_id" TEXT,
  "snapshot_id" UUID NOT NULL,
  "tag" TEXT,
  "segment" TEXT NOT NULL DEFAULT 'none',
  "sampling_method" TEXT,
  "sampling_probability" DOUBLE PRECISION,
  "sampling_stratum" TEXT,
  "superseded_by" UUID,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "label_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "label_probability_check" CHECK ("sampling_probability" > 0 AND "sampling_probability" <= 1)
);
-- One current grade per grader, item and criterion.
CREATE UNIQUE INDEX "label_in_force_key" ON "label"("workspace_id", "criterion_id", "item_key", "grader_id")
  NULLS NOT DISTINCT WHERE "superseded_by" IS NULL;
CREATE INDEX "label_newest_idx" ON "label"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "label_criterion_idx" ON "label"("workspace_id", "criterion_id") WHERE "superseded_by" IS NULL;
CREATE INDEX "label_log_idx" ON "label"("workspace_id", "log_id") WHERE "log_id" IS NOT NULL;

-- The graded item at that time, redacted. All grades of an item share it.
CREATE TABLE "label_snapshot" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "sha256" TEXT NOT NULL,
  "model" TEXT,
  "messages" TEXT NOT NULL,
  "response" TEXT NOT NULL,
  "tools" TEXT,
  CONSTRAINT "label_snapshot_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "label_snapshot_content_key" ON "label_snapshot"("workspace_id", "sha256");

-- Background work of a judge: a calibration, a scan, suggestions, an improvement or a drift replay.
CREATE TABLE "judge_run" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- Null for suggestions, which have no criterion yet.
  "criterion_id" UUID,
  "kind" "judge_run_kind" NOT NULL,
  "status" "judge_run_status" NOT NULL DEFAULT 'PENDING',
  "instrument" INTEGER NOT NULL DEFAULT 1,
  "judge_model" TEXT NOT NULL,
  "prompt_sha256" TEXT NOT NULL,
  -- JSON texts whose shape depends on the kind.
  "request" TEXT NOT NULL,
  "result" TEXT,
  "error" TEXT,
  "rows_total" INTEGER,
  "max_cost_nano" BIGINT,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  "voided_at" TIMESTAMPTZ(3),
  "void_reason" TEXT,
  -- The lease of a step that is not a judgement.
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "judge_run_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "judge_run_criterion_id_fkey" FOREIGN KEY ("criterion_id") REFERENCES "criterion"("id") ON DELETE CASCADE,
  CONSTRAINT "judge_run_finished_check" CHECK (("status" IN ('PENDING', 'RUNNING')) = ("finished_at" IS NULL))
);
CREATE INDEX "judge_run_criterion_idx" ON "judge_run"("criterion_id", "kind", "created_at" DESC);
CREATE INDEX "judge_run_open_idx" ON "judge_run"("created_at") WHERE "status" IN ('PENDING', 'RUNNING');
-- One open calibration per judge.
CREATE UNIQUE INDEX "judge_run_one_calibration_key" ON "judge_run"("criterion_id")
  WHERE "kind" = 'calibration' AND "status" IN ('PENDING', 'RUNNING');

-- A judge's work item, then its result with the verdict.
CREATE TABLE "judgement" (
  -- Derived from run, item and instrument, so that a repeated insert adds no row.
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  "run_id" UUID,
  "source" "judgement_source" NOT NULL,
  "instrument" INTEGER NOT NULL,
  -- The prompt of an improvement's candidate; null: the criterion's own.
  "judge_prompt" TEXT,
  "log_id" UUID,
  "snapshot_id" UUID,
  "label_id" UUID,
  "human" "verdict",
  -- 1 / the item's sampling probability.
  "weight" DOUBLE PRECISION NOT NULL DEFAULT 1,
  "stratum" TEXT,
  "segment" TEXT NOT NULL DEFAULT 'none',
  "tag" TEXT,
  -- When the exchange was made, and when it expires, and this row with it.
  "item_at" TIMESTAMPTZ(3),
  "expires_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "state" "judgement_state" NOT NULL DEFAULT 'pending',
  "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "generation" INTEGER NOT NULL DEFAULT 0,
  -- Times leased, and failures. Work whose process dies counts only as an attempt.
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "last_error" TEXT,
  -- Null until it is done, and if it cannot be judged.
  "verdict" "verdict",
  -- Why a finished judgement has no verdict: `unparseable`, `gone`, `too_large`, `refused`, `over_cap`.
  "failure" TEXT,
  "explanation" TEXT,
  "judge_model_resolved" TEXT,
  "judge_fingerprint" TEXT,
  "prompt_tokens" INTEGER,
  "completion_tokens" INTEGER,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  "judged_at" TIMESTAMPTZ(3),
  CONSTRAINT "judgement_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "judgement_criterion_id_fkey" FOREIGN KEY ("criterion_id") REFERENCES "criterion"("id") ON DELETE CASCADE,
  CONSTRAINT "judgement_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "judge_run"("id") ON DELETE CASCADE,
  CONSTRAINT "judgement_item_check" CHECK (("log_id" IS NULL) <> ("snapshot_id" IS NULL)),
  CONSTRAINT "judgement_outcome_check" CHECK (("state" = 'done') = (("verdict" IS NULL) <> ("failure" IS NULL))),
  CONSTRAINT "judgement_weight_check" CHECK ("weight" > 0)
);
-- The monitor never judges an exchange twice, even with a new instrument.
CREATE UNIQUE INDEX "judgement_online_key" ON "judgement"("criterion_id", "log_id") WHERE "source" = 'online';
CREATE INDEX "judgement_run_idx" ON "judgement"("run_id") WHERE "run_id" IS NOT NULL;
CREATE INDEX "judgement_newest_idx" ON "judgement"("criterion_id", "judged_at" DESC, "id" DESC) WHERE "state" = 'done';
CREATE INDEX "judgement_expiry_idx" ON "judgement"("expires_at") WHERE "expires_at" IS NOT NULL;
-- Contains open work only, so it stays small.
CREATE INDEX "judgement_due_idx" ON "judgement"("due_at") WHERE "state" IN ('pending', 'leased');

DO $$
BEGIN
  ALTER TABLE "label_snapshot" ALTER COLUMN "messages" SET COMPRESSION lz4, ALTER COLUMN "response" SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END
$$;

CREATE FUNCTION "refuse_regrading"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."superseded_by" IS NOT NULL
    OR to_jsonb(OLD) - 'superseded_by' IS DISTINCT FROM to_jsonb(NEW) - 'superseded_by' THEN
    RAISE EXCEPTION 'grades are only ever added' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER "label_append_only" BEFORE UPDATE ON "label" FOR EACH ROW EXECUTE FUNCTION "refuse_regrading"();

CREATE FUNCTION "refuse_rejudging"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a judgement is final' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER "judgement_final" BEFORE UPDATE ON "judgement" FOR EACH ROW
  WHEN (OLD."state" = 'done') EXECUTE FUNCTION "refuse_rejudging"();

-- How far the monitor has read the traffic of a workspace.
CREATE TABLE "monitor_cursor" (
  "workspace_id" UUID NOT NULL,
  "last_log_id" UUID NOT NULL,
  "moved_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "monitor_cursor_pkey" PRIMARY KEY ("workspace_id")
);

GRANT SELECT, INSERT, UPDATE, DELETE ON "criterion" TO ratchet_judging;
GRANT SELECT, INSERT ON "label", "label_snapshot" TO ratchet_judging;
GRANT UPDATE ("superseded_by") ON "label" TO ratchet_judging;
GRANT SELECT, INSERT, UPDATE ON "judge_run", "monitor_cursor" TO ratchet_judging;
GRANT SELECT, INSERT, UPDATE, DELETE ON "judgement" TO ratchet_judging;
