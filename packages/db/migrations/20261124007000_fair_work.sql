-- Workers take work of the workspace that has the least in progress. They find the workspaces that have unfinished work, and
-- the oldest of each, in these indexes.
CREATE INDEX "judgement_workspace_due_idx" ON "judgement"("workspace_id", "due_at") WHERE "state" IN ('pending', 'leased');
CREATE INDEX "eval_sample_workspace_due_idx" ON "eval_sample"("workspace_id", "due_at")
  WHERE "state" IN ('pending', 'leased');
