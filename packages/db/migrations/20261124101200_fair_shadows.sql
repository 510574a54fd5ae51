-- The alias worker takes shadow requests of the workspace that has the least in progress, as other workers do.
CREATE INDEX "shadow_sample_workspace_due_idx" ON "shadow_sample"("workspace_id", "due_at") WHERE "state" IN ('pending', 'leased');
CREATE INDEX "shadow_sample_leased_idx" ON "shadow_sample"("due_at") WHERE "state" = 'leased';
DROP INDEX "shadow_sample_due_idx";
