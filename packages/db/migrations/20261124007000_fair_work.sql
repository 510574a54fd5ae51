-- Workers take work of the workspace that has the least in progress. They find the workspaces that have unfinished work, and
-- the first of each, in these indexes. Without the indexes of all workspaces together the planner cannot choose them, which
-- it would read to the end for a workspace whose work is the newest.
CREATE INDEX "judgement_workspace_due_idx" ON "judgement"("workspace_id", "due_at") WHERE "state" IN ('pending', 'leased');
CREATE INDEX "eval_sample_workspace_due_idx" ON "eval_sample"("workspace_id", "due_at", "repetition", "position")
  WHERE "state" IN ('pending', 'leased');
CREATE INDEX "eval_sample_leased_idx" ON "eval_sample"("due_at") WHERE "state" = 'leased';
DROP INDEX "judgement_due_idx", "eval_sample_due_idx";

-- Samples of a cancelled eval stay pending, but are never due.
UPDATE "eval_sample" s SET "due_at" = 'infinity' FROM "eval_run" r
  WHERE r."id" = s."run_id" AND r."status" = 'CANCELLED' AND s."state" = 'pending';
