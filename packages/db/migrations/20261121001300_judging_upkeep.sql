-- The cursor is deleted when no judge of the workspace monitors traffic any more.
GRANT DELETE ON "monitor_cursor" TO ratchet_judging;

-- Deleting a judge deletes its judgements in every state. Without this index it reads those of all workspaces.
CREATE INDEX "judgement_criterion_idx" ON "judgement"("criterion_id");

-- A week, and its monitoring cost in judgements that were deleted with their exchanges.
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
