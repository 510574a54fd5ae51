-- The abuse guard can allow a workspace more calls than others, for load tests and for CI. The edge reads nothing else
-- of a workspace's settings.
ALTER TABLE "workspace_settings" ADD COLUMN "guarded_calls_per_minute" INTEGER CHECK ("guarded_calls_per_minute" >= 1);
CREATE VIEW "workspace_guard_limit" AS
  SELECT "workspace_id", "guarded_calls_per_minute" AS calls
  FROM "workspace_settings" WHERE "guarded_calls_per_minute" IS NOT NULL;
GRANT SELECT ON "workspace_guard_limit" TO ratchet_edge;
