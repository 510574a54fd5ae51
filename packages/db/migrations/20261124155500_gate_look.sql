-- What a gate found at each evaluation. The counts of a split are deleted at its end; these rows remain.
CREATE TABLE "gate_look" (
  "alias_id" UUID NOT NULL,
  "epoch" INTEGER NOT NULL,
  -- Number of the evaluation in its epoch, from 1.
  "look" INTEGER NOT NULL,
  "looked_at" TIMESTAMPTZ(3) NOT NULL,
  "state" "gate_state" NOT NULL,
  "target_scored" INTEGER NOT NULL,
  "canary_scored" INTEGER NOT NULL,
  -- The difference by verdicts, with its confidence sequence; null with too few answers.
  "estimate" DOUBLE PRECISION,
  "low" DOUBLE PRECISION,
  "high" DOUBLE PRECISION,
  -- The same by grades of drawn answers.
  "graded_estimate" DOUBLE PRECISION,
  "graded_low" DOUBLE PRECISION,
  "graded_high" DOUBLE PRECISION,
  "margin" DOUBLE PRECISION NOT NULL,
  -- JSON text.
  "guard" TEXT NOT NULL,
  CONSTRAINT "gate_look_pkey" PRIMARY KEY ("alias_id", "epoch", "look"),
  CONSTRAINT "gate_look_alias_id_fkey" FOREIGN KEY ("alias_id") REFERENCES "alias"("id") ON DELETE CASCADE
);
-- Rows are added in the order of time and deleted by age.
CREATE INDEX "gate_look_time_idx" ON "gate_look" USING BRIN ("looked_at");
GRANT SELECT, INSERT, DELETE ON "gate_look" TO ratchet_alias;

-- The audit of all aliases, newest first.
CREATE INDEX "alias_event_workspace_idx" ON "alias_event"("workspace_id", "position" DESC);
