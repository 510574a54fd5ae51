-- Batches are counted as their lines end. A list of batches with a million lines would otherwise read all of them.
UPDATE "batch" b SET "completed" = l.completed, "failed" = l.failed, "cost_nano" = l.cost
FROM (
  SELECT "batch_id", count(*) FILTER (WHERE "status_code" = 200) AS completed,
    count(*) FILTER (WHERE "status_code" <> 200 OR "error" IS NOT NULL) AS failed, sum("cost_nano") AS cost
  FROM "batch_line" GROUP BY "batch_id"
) l WHERE l."batch_id" = b."id" AND b."ended_at" IS NULL;

CREATE FUNCTION "count_batch_lines"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "batch" b SET "completed" = b."completed" + l.completed, "failed" = b."failed" + l.failed,
    "cost_nano" = b."cost_nano" + l.cost
  FROM (
    SELECT n."batch_id", count(*) FILTER (WHERE n."status_code" = 200) AS completed,
      count(*) FILTER (WHERE n."status_code" <> 200 OR n."error" IS NOT NULL) AS failed, sum(n."cost_nano") AS cost
    FROM new_lines n JOIN old_lines o ON o."id" = n."id"
    WHERE o."state" IN ('pending', 'leased') AND n."state" IN ('done', 'poisoned') GROUP BY n."batch_id"
  ) l WHERE b."id" = l."batch_id";
  RETURN NULL;
END
$$;
CREATE TRIGGER "batch_lines_counted" AFTER UPDATE ON "batch_line"
  REFERENCING OLD TABLE AS old_lines NEW TABLE AS new_lines
  FOR EACH STATEMENT EXECUTE FUNCTION "count_batch_lines"();

-- The line that is due first, and leases that ended, of all workspaces.
CREATE INDEX "batch_line_due_idx" ON "batch_line"("due_at", "line") WHERE "state" IN ('pending', 'leased');
CREATE INDEX "batch_line_leased_idx" ON "batch_line"("due_at") WHERE "state" = 'leased';

-- Who may still send requests: a batch goes on for a day, and a revoked key must not.
CREATE VIEW "live_key" AS SELECT i."key_id", i."workspace_id" FROM "api_key_identity" i;
CREATE VIEW "live_member" AS
  SELECT m."workspace_id", m."user_id" FROM "membership" m
  JOIN "workspace" w ON w."id" = m."workspace_id" AND w."disabled_at" IS NULL
  JOIN "app_user" u ON u."id" = m."user_id" AND u."disabled_at" IS NULL;
GRANT SELECT ON "live_key", "live_member" TO ratchet_eval;
