-- Answers of a run are forgotten some time after its end; verdicts go with them.
ALTER TABLE grpo_run ADD COLUMN rollouts_dropped_at timestamptz(3);
CREATE INDEX grpo_run_rollouts_idx ON grpo_run (created_at) WHERE rollouts_dropped_at IS NULL;
GRANT DELETE ON grpo_rollout TO ratchet_training;
-- What was paid before the first step: judges were asked about answers that say nothing.
ALTER TABLE grpo_run ADD COLUMN check_cost_nano bigint NOT NULL DEFAULT 0;
