-- Model versions that shared engines serve, beside the base that they were trained from.

-- What a version answers to the probes of its trainer, or, of an import, of the first engine that loaded it.
CREATE TABLE "version_fingerprint" (
  -- That of the version, which is that of its checkpoint.
  "version_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `trainer` or `engine`.
  "source" TEXT NOT NULL,
  -- JSON text: `{probe, token_ids, logprobs}` of each probe.
  "probes" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "version_fingerprint_pkey" PRIMARY KEY ("version_id"),
  CONSTRAINT "version_fingerprint_source_check" CHECK ("source" IN ('trainer', 'engine'))
);
INSERT INTO "version_fingerprint" ("version_id", "workspace_id", "source", "probes", "created_at")
SELECT DISTINCT ON (c."id") c."id", c."workspace_id", 'trainer', a."fingerprint"::jsonb ->> 'probes', now()
FROM "training_attempt" a JOIN "checkpoint" c
  ON c."job_id" = a."job_id" AND c."step" = (a."fingerprint"::jsonb ->> 'step')::int AND c."durable_at" IS NOT NULL
WHERE a."fingerprint" IS NOT NULL AND a."trainer" <> 'sim'
ORDER BY c."id", a."generation" DESC;

-- A version that somebody wants the pool to serve.
CREATE TABLE "pool_version" (
  "version_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "base_model" TEXT NOT NULL,
  -- The name under which engines load it.
  "adapter" TEXT NOT NULL,
  -- `loading` until an engine has proven it for the first time; `failed` while none can.
  "state" TEXT NOT NULL,
  "error" TEXT,
  "requested_at" TIMESTAMPTZ(3) NOT NULL,
  "requested_by" UUID NOT NULL,
  CONSTRAINT "pool_version_pkey" PRIMARY KEY ("version_id"),
  CONSTRAINT "pool_version_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "model_version"("id") ON DELETE CASCADE,
  CONSTRAINT "pool_version_state_check" CHECK ("state" IN ('loading', 'ready', 'failed'))
);
CREATE INDEX "pool_version_workspace_idx" ON "pool_version"("workspace_id");

-- When a version of the pool was last asked for. Inference writes it, at most every ten seconds for a version and process.
CREATE TABLE "version_use" (
  "version_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "used_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "version_use_pkey" PRIMARY KEY ("version_id")
);

-- The engines of the pool.
CREATE TABLE "pool_replica" (
  "name" TEXT NOT NULL,
  "base_model" TEXT NOT NULL,
  "address" TEXT,
  -- `starting` until it answers, and again when it does not.
  "state" TEXT NOT NULL,
  -- JSON text: what the base answers to the probes there.
  "base_probes" TEXT,
  "since" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "pool_replica_pkey" PRIMARY KEY ("name"),
  CONSTRAINT "pool_replica_state_check" CHECK ("state" IN ('starting', 'ready'))
);

-- What an engine has loaded, or is about to load or to give up.
CREATE TABLE "pool_adapter" (
  "replica" TEXT NOT NULL,
  "version_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "adapter" TEXT NOT NULL,
  -- `ready`: its answers to the probes are those of its fingerprint. Only then requests get there.
  "state" TEXT NOT NULL,
  "error" TEXT,
  "since" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "pool_adapter_pkey" PRIMARY KEY ("replica", "version_id"),
  CONSTRAINT "pool_adapter_replica_fkey" FOREIGN KEY ("replica") REFERENCES "pool_replica"("name") ON DELETE CASCADE,
  CONSTRAINT "pool_adapter_state_check" CHECK ("state" IN ('loading', 'ready', 'leaving', 'failed'))
);
CREATE INDEX "pool_adapter_version_idx" ON "pool_adapter"("workspace_id", "version_id");

-- The worker that compares what should run with what does. Others wait until its lease ends.
CREATE TABLE "pool_lease" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "worker" UUID NOT NULL,
  "until" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "pool_lease_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "pool_lease_one_check" CHECK ("id" = 1)
);

-- The versions that requests can name: those that a model of the catalog answers as, and those of the pool, with the engines
-- that have proven them.
DROP VIEW "version_route";
CREATE VIEW "version_route" AS
  SELECT v."workspace_id", v."id", v."name", v."base_model", v."served_as", v."created_at", p."adapter",
    CASE WHEN p."adapter" IS NOT NULL THEN (
      SELECT coalesce(jsonb_agg(r."address" ORDER BY r."name"), '[]')
      FROM "pool_adapter" a JOIN "pool_replica" r ON r."name" = a."replica"
      WHERE a."workspace_id" = v."workspace_id" AND a."version_id" = v."id" AND a."state" = 'ready'
        AND r."state" = 'ready' AND r."address" IS NOT NULL
    ) END AS "addresses"
  FROM "model_version" v
    LEFT JOIN "pool_version" p ON p."version_id" = v."id" AND p."workspace_id" = v."workspace_id" AND p."state" = 'ready'
  WHERE (v."served_as" IS NOT NULL OR p."adapter" IS NOT NULL) AND v."archived_at" IS NULL;
CREATE INDEX "model_version_live_idx" ON "model_version"("workspace_id") WHERE "archived_at" IS NULL;
DROP INDEX "model_version_routes_idx";

GRANT SELECT, INSERT, UPDATE ON "version_fingerprint" TO ratchet_training;
GRANT SELECT, INSERT, UPDATE, DELETE ON "pool_version", "pool_replica", "pool_adapter", "pool_lease" TO ratchet_training;
GRANT SELECT, DELETE ON "version_use" TO ratchet_training;
GRANT SELECT, INSERT, UPDATE ON "version_use" TO ratchet_inference;
GRANT SELECT ON "version_route" TO ratchet_inference, ratchet_alias;
