-- Judges of whole calls, and canaries between two versions of an agent. Only the voice service writes these tables.

ALTER TABLE "call"
  -- `target` or `canary`, and the split that chose; null for a call that named its version, or of an agent without a canary.
  ADD COLUMN "arm" TEXT,
  ADD COLUMN "canary_epoch" INTEGER,
  ADD CONSTRAINT "call_arm_check" CHECK ("arm" IN ('target', 'canary')),
  ADD CONSTRAINT "call_canary_epoch_check" CHECK (("arm" IS NULL) = ("canary_epoch" IS NULL));
CREATE INDEX "call_canary_idx" ON "call"("agent_id", "canary_epoch", "created_at") WHERE "canary_epoch" IS NOT NULL;

-- The last canary of an agent, with what its gate said last.
CREATE TABLE "agent_canary" (
  "agent_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "settings" JSONB NOT NULL,
  "target_version" INTEGER NOT NULL,
  -- Counts the splits of the agent.
  "epoch" INTEGER NOT NULL,
  "user_id" UUID NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  -- Null until the first evaluation.
  "finding" JSONB,
  "looks" INTEGER NOT NULL DEFAULT 0,
  "looked_at" TIMESTAMPTZ(3),
  -- When the gate promoted it or rolled it back.
  "decided_at" TIMESTAMPTZ(3),
  -- When a person ended it.
  "deleted_at" TIMESTAMPTZ(3),
  CONSTRAINT "agent_canary_pkey" PRIMARY KEY ("agent_id"),
  CONSTRAINT "agent_canary_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id")
);
CREATE INDEX "agent_canary_due_idx" ON "agent_canary"("looked_at") WHERE "decided_at" IS NULL AND "deleted_at" IS NULL;

-- What judges say of a call: a row for each judge, first as work.
CREATE TABLE "call_verdict" (
  "call_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `waiting` for the end of the call, `planned` at the judge, `done` or `failed`.
  "state" TEXT NOT NULL DEFAULT 'waiting',
  -- Of the judge that was asked.
  "instrument" INTEGER,
  "verdict" TEXT,
  "failure" TEXT,
  "trust" TEXT,
  -- The grade of people, and how likely the call was to be drawn for grading, or offered and skipped.
  "grade" TEXT,
  "grade_probability" DOUBLE PRECISION,
  "skip_probability" DOUBLE PRECISION,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "read_at" TIMESTAMPTZ(3),
  CONSTRAINT "call_verdict_pkey" PRIMARY KEY ("call_id", "criterion_id"),
  CONSTRAINT "call_verdict_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "call"("id"),
  CONSTRAINT "call_verdict_state_check" CHECK ("state" IN ('waiting', 'planned', 'done', 'failed')),
  CONSTRAINT "call_verdict_verdict_check" CHECK ("verdict" IN ('pass', 'fail'))
);
CREATE INDEX "call_verdict_due_idx" ON "call_verdict"("due_at") WHERE "state" IN ('waiting', 'planned');

ALTER TABLE "agent_event" DROP CONSTRAINT "agent_event_kind_check";
ALTER TABLE "agent_event" ADD CONSTRAINT "agent_event_kind_check" CHECK ("kind" IN (
  'created', 'changed', 'published', 'deleted', 'canary_set', 'canary_ended', 'canary_reset', 'canary_promoted', 'canary_rolled_back'
)) NOT VALID;

GRANT SELECT, INSERT, UPDATE ON "agent_canary", "call_verdict" TO ratchet_voice;
