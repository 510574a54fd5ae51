-- Aliases, their canaries, and webhooks. The alias service writes all new tables except judging_notice.

DO $$
BEGIN
  BEGIN
    CREATE ROLE ratchet_alias NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
  END;
  GRANT ratchet_alias TO CURRENT_USER;
  GRANT USAGE ON SCHEMA public TO ratchet_alias;
END
$$;

CREATE TYPE "gate_mode" AS ENUM ('recommend', 'auto');
CREATE TYPE "gate_state" AS ENUM ('collecting', 'healthy', 'promote_ready', 'promoted', 'rollback_recommended',
  'rolled_back', 'inconclusive', 'starved', 'expired');
CREATE TYPE "sticky_by" AS ENUM ('request', 'trace');
CREATE TYPE "alias_event_kind" AS ENUM ('repoint', 'canary_set', 'update', 'gate_promote', 'gate_rollback',
  'gate_starved', 'gate_ended', 'gate_reset', 'delete');
CREATE TYPE "arm" AS ENUM ('target', 'canary');
CREATE TYPE "canary_sample_state" AS ENUM ('open', 'done');
CREATE TYPE "shadow_sample_state" AS ENUM ('pending', 'leased', 'answered', 'done', 'poisoned');
CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'failed');

CREATE TABLE "alias" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "target_model" TEXT NOT NULL,
  "canary_model" TEXT,
  "canary_percent" INTEGER NOT NULL DEFAULT 0,
  -- No foreign key: judges belong to another service.
  "gate_criterion_id" UUID,
  "gate_mode" "gate_mode",
  "gate_min_samples_per_arm" INTEGER NOT NULL DEFAULT 100,
  "gate_rollback_threshold" DOUBLE PRECISION NOT NULL DEFAULT 0.05,
  "gate_window_hours" DOUBLE PRECISION NOT NULL DEFAULT 72,
  "gate_confidence" DOUBLE PRECISION NOT NULL DEFAULT 0.95,
  -- JSON text; null: no guard.
  "gate_guard" TEXT,
  "sticky_by" "sticky_by" NOT NULL DEFAULT 'request',
  "shadow_model" TEXT,
  "shadow_percent" INTEGER NOT NULL DEFAULT 0,
  "require_evidence" BOOLEAN,
  -- Result of the last gate evaluation, and the judge at that time (JSON text).
  "gate_state" "gate_state",
  "gate_judge" TEXT,
  "gate_looks" INTEGER NOT NULL DEFAULT 0,
  "gate_looked_at" TIMESTAMPTZ(3),
  "gate_decided_at" TIMESTAMPTZ(3),
  "gate_reason" TEXT,
  -- JSON text: the result at the end of the split, stored because its counts are deleted.
  "gate_verdict" TEXT,
  -- Every change of the split begins a new epoch, so that counts of two splits are never added.
  "epoch" INTEGER NOT NULL DEFAULT 1,
  "epoch_started_at" TIMESTAMPTZ(3) NOT NULL,
  -- The last exchange that the gate has read; null before the first evaluation.
  "cursor_log_id" UUID,
  -- When the next evaluation is due; set before one begins.
  "look_due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "version" INTEGER NOT NULL DEFAULT 1,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  -- A user's id, or `gate`.
  "updated_by" TEXT NOT NULL,
  CONSTRAINT "alias_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alias_name_check" CHECK ("name" ~ '^[A-Za-z0-9._-]{3,64}$'),
  CONSTRAINT "alias_percent_check" CHECK ("canary_percent" BETWEEN 0 AND 100 AND "shadow_percent" BETWEEN 0 AND 100),
  CONSTRAINT "alias_canary_check" CHECK ("canary_percent" = 0 OR "canary_model" IS NOT NULL),
  CONSTRAINT "alias_shadow_check" CHECK ("shadow_percent" = 0 OR "shadow_model" IS NOT NULL),
  CONSTRAINT "alias_gate_check" CHECK ("gate_mode" IS NULL OR "gate_criterion_id" IS NOT NULL)
);
CREATE UNIQUE INDEX "alias_name_key" ON "alias"("workspace_id", "name");
CREATE INDEX "alias_criterion_idx" ON "alias"("gate_criterion_id") WHERE "gate_criterion_id" IS NOT NULL;
-- Aliases to evaluate: those with a gate and a live split, or with a shadow.
CREATE INDEX "alias_look_idx" ON "alias"("look_due_at")
  WHERE ("gate_mode" IS NOT NULL AND "canary_percent" BETWEEN 1 AND 99) OR "shadow_percent" > 0;

-- The audit log outlives the alias.
CREATE TABLE "alias_event" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "alias_id" UUID NOT NULL,
  "alias_name" TEXT NOT NULL,
  "kind" "alias_event_kind" NOT NULL,
  -- Null if the gate acted.
  "user_id" UUID,
  "key_id" UUID,
  "request_id" TEXT,
  -- JSON texts.
  "before" TEXT,
  "after" TEXT,
  "evidence" TEXT,
  "reason" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  -- The order of events within one millisecond.
  "position" BIGINT GENERATED ALWAYS AS IDENTITY,
  CONSTRAINT "alias_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "alias_event_newest_idx" ON "alias_event"("workspace_id", "alias_name", "position" DESC);
CREATE INDEX "alias_event_alias_idx" ON "alias_event"("alias_id", "position" DESC);
CREATE FUNCTION "refuse_rewriting_audit"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is only ever added to' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER "alias_event_append_only" BEFORE UPDATE ON "alias_event" FOR EACH ROW
  EXECUTE FUNCTION "refuse_rewriting_audit"();

-- Requests of an arm since its epoch began, as inference reports them.
CREATE TABLE "arm_traffic" (
  "alias_id" UUID NOT NULL,
  "epoch" INTEGER NOT NULL,
  "arm" "arm" NOT NULL,
  "assigned" BIGINT NOT NULL DEFAULT 0,
  "served" BIGINT NOT NULL DEFAULT 0,
  "errors" BIGINT NOT NULL DEFAULT 0,
  "cost_usd" DOUBLE PRECISION NOT NULL DEFAULT 0,
  "cost_usd_squared" DOUBLE PRECISION NOT NULL DEFAULT 0,
  -- JSON text: number of answers per latency bucket.
  "latencies" TEXT NOT NULL DEFAULT '{}',
  CONSTRAINT "arm_traffic_pkey" PRIMARY KEY ("alias_id", "epoch", "arm"),
  CONSTRAINT "arm_traffic_alias_id_fkey" FOREIGN KEY ("alias_id") REFERENCES "alias"("id") ON DELETE CASCADE
);

-- The last counted report of each process.
CREATE TABLE "traffic_reporter" (
  "reporter" UUID NOT NULL,
  "sequence" BIGINT NOT NULL,
  "seen_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "traffic_reporter_pkey" PRIMARY KEY ("reporter")
);
CREATE INDEX "traffic_reporter_seen_idx" ON "traffic_reporter"("seen_at");

-- An answer that is judged for the gate.
CREATE TABLE "canary_sample" (
  "alias_id" UUID NOT NULL,
  "epoch" INTEGER NOT NULL,
  "log_id" UUID NOT NULL,
  "arm" "arm" NOT NULL,
  "state" "canary_sample_state" NOT NULL DEFAULT 'open',
  -- Dependent answers have one cluster, and one of them is judged. Null: independent.
  "cluster" TEXT,
  -- `pass` or `fail`; null while open, and after a failure.
  "verdict" TEXT,
  "failure" TEXT,
  -- The grade by people, as of grade_asked_at.
  "grade" TEXT,
  "grade_asked_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "canary_sample_pkey" PRIMARY KEY ("alias_id", "epoch", "log_id"),
  CONSTRAINT "canary_sample_alias_id_fkey" FOREIGN KEY ("alias_id") REFERENCES "alias"("id") ON DELETE CASCADE,
  CONSTRAINT "canary_sample_verdict_check" CHECK ("verdict" IN ('pass', 'fail') AND "grade" IN ('pass', 'fail'))
);
CREATE UNIQUE INDEX "canary_sample_cluster_key" ON "canary_sample"("alias_id", "epoch", "cluster") WHERE "cluster" IS NOT NULL;
CREATE INDEX "canary_sample_open_idx" ON "canary_sample"("alias_id", "epoch", "log_id") WHERE "state" = 'open';

-- A request that a shadow answers too: a work item, then its result. Answers are not stored.
CREATE TABLE "shadow_sample" (
  "id" UUID NOT NULL,
  "alias_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "log_id" UUID NOT NULL,
  "model" TEXT NOT NULL,
  "state" "shadow_sample_state" NOT NULL DEFAULT 'pending',
  "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "last_error" TEXT,
  -- Why it has no answer: `gone`, `refused`.
  "failure" TEXT,
  "verdict" TEXT,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  "latency_ms" DOUBLE PRECISION,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "shadow_sample_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "shadow_sample_alias_id_fkey" FOREIGN KEY ("alias_id") REFERENCES "alias"("id") ON DELETE CASCADE,
  CONSTRAINT "shadow_sample_verdict_check" CHECK ("verdict" IN ('pass', 'fail'))
);
CREATE UNIQUE INDEX "shadow_sample_exchange_key" ON "shadow_sample"("alias_id", "model", "log_id");
CREATE INDEX "shadow_sample_due_idx" ON "shadow_sample"("due_at") WHERE "state" IN ('pending', 'leased');
CREATE INDEX "shadow_sample_answered_idx" ON "shadow_sample"("alias_id") WHERE "state" = 'answered';

CREATE TABLE "webhook" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "url" TEXT NOT NULL,
  "events" TEXT[] NOT NULL,
  "description" TEXT,
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  -- The encrypted secret.
  "ciphertext" BYTEA NOT NULL,
  "nonce" BYTEA NOT NULL,
  "key_id" TEXT NOT NULL,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_newest_idx" ON "webhook"("workspace_id", "created_at" DESC, "id" DESC);

-- The body never changes, so that every attempt sends the same text.
CREATE TABLE "webhook_event" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "type" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "webhook_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_event_created_idx" ON "webhook_event"("created_at");

-- A work item, with the log of its attempts.
CREATE TABLE "webhook_delivery" (
  "id" UUID NOT NULL,
  "webhook_id" UUID NOT NULL,
  "event_id" UUID NOT NULL,
  "status" "delivery_status" NOT NULL DEFAULT 'pending',
  -- Null when finished.
  "due_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
  -- No attempts after it.
  "deadline" TIMESTAMPTZ(3) NOT NULL,
  -- Attempts since creation or the last replay; sets the retry delay.
  "tries" INTEGER NOT NULL DEFAULT 0,
  -- JSON text.
  "attempts" TEXT NOT NULL DEFAULT '[]',
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE,
  CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "webhook_event"("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "webhook_delivery_once_key" ON "webhook_delivery"("webhook_id", "event_id");
CREATE INDEX "webhook_delivery_event_idx" ON "webhook_delivery"("event_id");
CREATE INDEX "webhook_delivery_newest_idx" ON "webhook_delivery"("webhook_id", "created_at" DESC, "id" DESC);
CREATE INDEX "webhook_delivery_due_idx" ON "webhook_delivery"("due_at") WHERE "status" = 'pending';

-- All that inference may read of aliases.
CREATE VIEW "alias_route" AS
  SELECT "workspace_id", "id", "name", "target_model", "canary_model", "canary_percent", "sticky_by", "epoch" FROM "alias";
GRANT SELECT ON "alias_route" TO ratchet_inference;

-- Exchanges of an alias in the order of storage: a gate continues after the last one that it read.
CREATE INDEX "exchange_alias_id_idx" ON "exchange"("workspace_id", "alias", "id") WHERE "alias" IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON "alias", "arm_traffic", "traffic_reporter", "canary_sample", "shadow_sample",
  "webhook", "webhook_event", "webhook_delivery" TO ratchet_alias;
GRANT SELECT, INSERT ON "alias_event" TO ratchet_alias;

-- Judges also judge answers of shadows. The message is stored in the judgement and deleted with it.
ALTER TYPE "judgement_source" ADD VALUE 'shadow';
ALTER TABLE "judgement" ADD COLUMN "judged_response" TEXT;

-- Whether a canary gave the answer that the monitor judges.
ALTER TABLE "judgement" ADD COLUMN "canary" BOOLEAN NOT NULL DEFAULT false;

-- Outbox of webhook events about judges: stored with the finding, sent to the alias service, then deleted.
CREATE TABLE "judging_notice" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "type" TEXT NOT NULL,
  -- JSON text.
  "data" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "judging_notice_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "judging_notice_oldest_idx" ON "judging_notice"("created_at");
GRANT SELECT, INSERT, DELETE ON "judging_notice" TO ratchet_judging;

-- Judgements of gates and shadows count in the same week as monitoring.
CREATE OR REPLACE FUNCTION "remember_spent"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "criterion" c SET
    "forgotten_nano" = gone.nano + CASE WHEN c."forgotten_week" = gone.week THEN c."forgotten_nano" ELSE 0 END,
    "forgotten_week" = gone.week
  FROM (
    SELECT "criterion_id", date_trunc('week', now(), 'UTC') AS week, sum("cost_nano") AS nano FROM deleted
    WHERE "source"::text IN ('online', 'gate', 'shadow') AND "judged_at" >= date_trunc('week', now(), 'UTC')
    GROUP BY "criterion_id"
  ) gone WHERE c."id" = gone."criterion_id";
  RETURN NULL;
END
$$;

-- When `eval.done` was sent.
ALTER TABLE "eval_run" ADD COLUMN "told_at" TIMESTAMPTZ(3);
UPDATE "eval_run" SET "told_at" = now() WHERE "finished_at" IS NOT NULL;
CREATE INDEX "eval_run_untold_idx" ON "eval_run"("finished_at") WHERE "status" = 'DONE' AND "told_at" IS NULL;

-- Last, to lock this table only briefly: inference reads it all the time.
CREATE TYPE "evidence_policy" AS ENUM ('off', 'enforce');
ALTER TABLE "workspace_settings" ADD COLUMN "evidence_policy" "evidence_policy" NOT NULL DEFAULT 'off';
CREATE VIEW "workspace_alias_settings" AS
  SELECT w."id" AS workspace_id, coalesce(s."evidence_policy", 'off') AS evidence_policy
  FROM "workspace" w LEFT JOIN "workspace_settings" s ON s."workspace_id" = w."id";
GRANT SELECT ON "workspace_alias_settings" TO ratchet_alias;
