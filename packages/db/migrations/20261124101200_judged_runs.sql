-- Judgements of complete runs, by trace. `step_ids` are the log entries that are judged, so that a retry reads the same.
ALTER TABLE "judgement"
  ADD COLUMN "trace_id" TEXT,
  ADD COLUMN "step_ids" UUID[] NOT NULL DEFAULT '{}',
  DROP CONSTRAINT "judgement_item_check",
  ADD CONSTRAINT "judgement_item_check" CHECK (num_nonnulls("log_id", "snapshot_id", "trace_id") = 1) NOT VALID,
  ADD CONSTRAINT "judgement_steps_check" CHECK (("trace_id" IS NULL) = (cardinality("step_ids") = 0)) NOT VALID;
-- The monitor never judges a run twice, even with a new instrument.
CREATE UNIQUE INDEX "judgement_online_run_key" ON "judgement"("criterion_id", "trace_id")
  WHERE "source" = 'online' AND "trace_id" IS NOT NULL;

CREATE INDEX "label_run_idx" ON "label"("workspace_id", "trace_id") WHERE "unit" = 'trace';

-- How far the monitor has read the runs of a workspace, by the time of their last step.
CREATE TABLE "run_cursor" (
  "workspace_id" UUID NOT NULL,
  "last_at" TIMESTAMPTZ(3) NOT NULL,
  "trace_id" TEXT NOT NULL,
  "moved_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "run_cursor_pkey" PRIMARY KEY ("workspace_id")
);
GRANT SELECT, INSERT, UPDATE, DELETE ON "run_cursor" TO ratchet_judging;
