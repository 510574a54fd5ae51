-- Runs are deleted with their judge. What a prompt was tuned on must not become evidence for it in another judge.
CREATE TABLE "deleted_improvement" (
  "run_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  -- JSON: the result of the run.
  "result" TEXT NOT NULL,
  -- JSON: what it judged, with the verdicts of people.
  "items" TEXT NOT NULL,
  CONSTRAINT "deleted_improvement_pkey" PRIMARY KEY ("run_id")
);
CREATE INDEX "deleted_improvement_workspace_idx" ON "deleted_improvement"("workspace_id");

GRANT SELECT, INSERT ON "deleted_improvement" TO ratchet_judging;
