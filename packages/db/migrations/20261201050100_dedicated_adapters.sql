-- Adapters of dedicated endpoints: versions that the replicas of an endpoint answer as, beside the model of the endpoint. Each has
-- a routing key of its own.

-- How many an endpoint may have; 0: it was created without any, and its engines take none.
ALTER TABLE "dedicated_endpoint" ADD COLUMN "max_adapters" INTEGER NOT NULL DEFAULT 0;

-- Rows are never deleted, so that a key is never given out again.
CREATE TABLE "dedicated_adapter" (
  "routing_key" TEXT NOT NULL,
  "endpoint_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "version_id" UUID NOT NULL,
  -- The name under which engines load it.
  "adapter" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "removed_at" TIMESTAMPTZ(3),
  CONSTRAINT "dedicated_adapter_pkey" PRIMARY KEY ("routing_key"),
  CONSTRAINT "dedicated_adapter_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "dedicated_endpoint"("id")
);
CREATE UNIQUE INDEX "dedicated_adapter_version_key" ON "dedicated_adapter"("endpoint_id", "version_id")
  WHERE "removed_at" IS NULL;
CREATE INDEX "dedicated_adapter_used_idx" ON "dedicated_adapter"("version_id") WHERE "removed_at" IS NULL;

-- Every key that an endpoint or an adapter ever had.
CREATE TABLE "dedicated_key" (
  "routing_key" TEXT NOT NULL,
  "workspace_id" UUID NOT NULL,
  CONSTRAINT "dedicated_key_pkey" PRIMARY KEY ("routing_key")
);
INSERT INTO "dedicated_key" ("routing_key", "workspace_id") SELECT "routing_key", "workspace_id" FROM "dedicated_endpoint";
CREATE FUNCTION "take_dedicated_key"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "dedicated_key" ("routing_key", "workspace_id") VALUES (NEW."routing_key", NEW."workspace_id");
  RETURN NULL;
END $$;
CREATE TRIGGER "dedicated_endpoint_keyed" AFTER INSERT ON "dedicated_endpoint"
  FOR EACH ROW EXECUTE FUNCTION "take_dedicated_key"();
CREATE TRIGGER "dedicated_adapter_keyed" AFTER INSERT ON "dedicated_adapter"
  FOR EACH ROW EXECUTE FUNCTION "take_dedicated_key"();

-- What the engine of a replica has loaded beside its own version.
CREATE TABLE "replica_adapter" (
  "replica_id" UUID NOT NULL,
  "version_id" UUID NOT NULL,
  "endpoint_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "adapter" TEXT NOT NULL,
  -- `ready`: its answers to the probes are those of its trainer. Only then requests get there. `leaving` while some may still arrive.
  "state" TEXT NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "replica_adapter_pkey" PRIMARY KEY ("replica_id", "version_id"),
  CONSTRAINT "replica_adapter_replica_id_fkey" FOREIGN KEY ("replica_id") REFERENCES "replica"("id"),
  CONSTRAINT "replica_adapter_state_check" CHECK ("state" IN ('ready', 'failed', 'leaving'))
);
CREATE INDEX "replica_adapter_version_idx" ON "replica_adapter"("endpoint_id", "version_id");

-- A key of an adapter leads to the replicas that have proven it. One that replicas have refused, and none has proven, leads nowhere.
CREATE OR REPLACE VIEW "dedicated_route" AS
  WITH route AS (
    SELECT e."id", e."routing_key", coalesce(e."adapter", e."base_model") AS "served_as", NULL::uuid AS "version_id", e."created_at"
    FROM "dedicated_endpoint" e
    UNION ALL
    SELECT a."endpoint_id", a."routing_key", a."adapter", a."version_id", a."created_at" FROM "dedicated_adapter" a
    WHERE a."removed_at" IS NULL AND (
      EXISTS (SELECT 1 FROM "replica_adapter" l WHERE l."endpoint_id" = a."endpoint_id" AND l."version_id" = a."version_id" AND l."state" = 'ready')
      OR NOT EXISTS (SELECT 1 FROM "replica_adapter" l JOIN "replica" r ON r."id" = l."replica_id"
        WHERE l."endpoint_id" = a."endpoint_id" AND l."version_id" = a."version_id" AND l."state" = 'failed' AND r."state" <> 'ended')
    )
  )
  SELECT e."workspace_id", e."id", t."routing_key", e."base_model", t."served_as", e."state", e."target_concurrency", e."max_context_length",
    e."price_nano_per_hour"::text AS "price_nano_per_hour", t."created_at",
    coalesce((
      SELECT json_agg(json_build_object('id', r."id", 'address', r."address") ORDER BY r."id")
      FROM "replica" r WHERE r."endpoint_id" = e."id" AND r."state" = 'ready' AND (t."version_id" IS NULL OR EXISTS (
        SELECT 1 FROM "replica_adapter" l
        WHERE l."replica_id" = r."id" AND l."version_id" = t."version_id" AND l."state" = 'ready'
      ))
    ), '[]') AS "replicas",
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ms) FROM (
      SELECT extract(epoch FROM r."ready_at" - r."created_at") * 1000 AS ms FROM "replica" r
      WHERE r."endpoint_id" = e."id" AND r."ready_at" IS NOT NULL ORDER BY r."ready_at" DESC LIMIT 20
    ) s)::float8 AS "start_ms"
  FROM route t JOIN "dedicated_endpoint" e ON e."id" = t."id"
  WHERE e."state" <> 'DELETED' AND e."stopping_for" IS DISTINCT FROM 'delete';

CREATE TRIGGER "dedicated_adapter_routed" AFTER INSERT OR UPDATE ON "dedicated_adapter"
  FOR EACH ROW EXECUTE FUNCTION "raise_route_revision"();
CREATE TRIGGER "replica_adapter_routed" AFTER INSERT OR UPDATE ON "replica_adapter"
  FOR EACH ROW EXECUTE FUNCTION "raise_route_revision"();

GRANT SELECT, INSERT, UPDATE ON "dedicated_adapter" TO ratchet_training;
GRANT SELECT, INSERT, UPDATE, DELETE ON "replica_adapter" TO ratchet_training;
GRANT INSERT ON "dedicated_key" TO ratchet_training;
