-- Calibrations of cascades share one error probability in a workspace. What was spent remains spent when the judge whose
-- run it was is deleted.
CREATE TABLE "cascade_attempt" (
  "run_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "planned_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "cascade_attempt_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "cascade_attempt_workspace_idx" ON "cascade_attempt"("workspace_id");

INSERT INTO "cascade_attempt" ("run_id", "workspace_id", "planned_at")
  SELECT "id", "workspace_id", "created_at" FROM "judge_run" WHERE "kind"::text = 'cascade_calibration';

GRANT SELECT, INSERT ON "cascade_attempt" TO ratchet_judging;
