-- Work is counted every 15 seconds. These indexes find leased and dead-lettered items without reading the others.
CREATE INDEX IF NOT EXISTS "judgement_leased_idx" ON "judgement"("due_at") WHERE "state" = 'leased';
CREATE INDEX IF NOT EXISTS "judgement_poisoned_idx" ON "judgement"("id") WHERE "state" = 'poisoned';
CREATE INDEX IF NOT EXISTS "eval_sample_poisoned_idx" ON "eval_sample"("id") WHERE "state" = 'poisoned';
CREATE INDEX IF NOT EXISTS "shadow_sample_poisoned_idx" ON "shadow_sample"("id") WHERE "state" = 'poisoned';
