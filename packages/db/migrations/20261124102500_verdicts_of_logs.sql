-- Datasets read the verdicts of up to 100,000 log entries, a thousand at a time.
CREATE INDEX "judgement_logged_idx" ON "judgement"("criterion_id", "log_id") WHERE "state" = 'done' AND "log_id" IS NOT NULL;
