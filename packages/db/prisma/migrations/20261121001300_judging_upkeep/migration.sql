-- Where nobody monitors any more, the place up to which traffic was looked at is forgotten.
GRANT DELETE ON "monitor_cursor" TO ratchet_judging;

-- Deleting a judge looks for its judgements, in whatever state they are: without an index, through those of everybody.
CREATE INDEX "judgement_criterion_idx" ON "judgement"("criterion_id");

-- What monitoring has cost in a week whose judgements were forgotten since, with their exchanges.
ALTER TABLE "criterion" ADD COLUMN "forgotten_week" TIMESTAMPTZ(3), ADD COLUMN "forgotten_nano" BIGINT NOT NULL DEFAULT 0;

CREATE FUNCTION "remember_spent"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "criterion" c SET
    "forgotten_nano" = gone.nano + CASE WHEN c."forgotten_week" = gone.week THEN c."forgotten_nano" ELSE 0 END,
    "forgotten_week" = gone.week
  FROM (
    SELECT "criterion_id", date_trunc('week', now(), 'UTC') AS week, sum("cost_nano") AS nano FROM deleted
    WHERE "source" = 'online' AND "judged_at" >= date_trunc('week', now(), 'UTC') GROUP BY "criterion_id"
  ) gone WHERE c."id" = gone."criterion_id";
  RETURN NULL;
END
$$;
CREATE TRIGGER "judgement_spent" AFTER DELETE ON "judgement" REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_spent"();
