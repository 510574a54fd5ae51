-- For the notices, which read the events of all workspaces by time (`workspace_event`).
CREATE INDEX "alias_event_gate_idx" ON "alias_event"("created_at")
  WHERE "kind" IN ('gate_promote', 'gate_rollback', 'gate_family_rollback');
CREATE INDEX "judge_run_scan_time_idx" ON "judge_run"("finished_at") WHERE "kind" = 'scan';
