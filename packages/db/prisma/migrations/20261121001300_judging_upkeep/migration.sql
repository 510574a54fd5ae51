-- Where nobody monitors any more, the place up to which traffic was looked at is forgotten.
GRANT DELETE ON "monitor_cursor" TO ratchet_judging;

-- Deleting a judge looks for its judgements, in whatever state they are: without an index, through those of everybody.
CREATE INDEX "judgement_criterion_idx" ON "judgement"("criterion_id");
