-- Work is counted every quarter of a minute: what somebody has, and what was given up, is found without reading the rest.
CREATE INDEX IF NOT EXISTS "judgement_leased_idx" ON "judgement"("due_at") WHERE "state" = 'leased';
CREATE INDEX IF NOT EXISTS "judgement_poisoned_idx" ON "judgement"("id") WHERE "state" = 'poisoned';
CREATE INDEX IF NOT EXISTS "eval_sample_poisoned_idx" ON "eval_sample"("id") WHERE "state" = 'poisoned';
CREATE INDEX IF NOT EXISTS "shadow_sample_poisoned_idx" ON "shadow_sample"("id") WHERE "state" = 'poisoned';
