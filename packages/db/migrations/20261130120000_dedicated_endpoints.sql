-- Dedicated endpoints: replicas of a model for one workspace, charged by the second. Only the training service writes these
-- tables, apart from the traffic, which inference reports. All times are those of the database's clock.

CREATE TABLE "dedicated_endpoint" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  -- Rows are never deleted, so a key is never given to another endpoint.
  "routing_key" TEXT NOT NULL,
  "base_model" TEXT NOT NULL,
  "hardware" TEXT NOT NULL,
  "price_nano_per_hour" BIGINT NOT NULL,
  "min_replicas" INTEGER NOT NULL,
  "max_replicas" INTEGER NOT NULL,
  -- Null: never.
  "scale_to_zero_after_s" INTEGER,
  "scale_up_window_s" INTEGER NOT NULL,
  "scale_down_window_s" INTEGER NOT NULL,
  "target_concurrency" INTEGER NOT NULL,
  "max_hourly_cost_nano" BIGINT,
  "max_context_length" INTEGER NOT NULL,
  "precision" TEXT NOT NULL,
  "draining_s" INTEGER NOT NULL,
  -- JSON texts: pairs of the user, and the body that created it.
  "metadata" TEXT NOT NULL,
  "request" TEXT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'PENDING',
  "state_at" TIMESTAMPTZ(3) NOT NULL,
  "status_message" TEXT,
  "last_error" TEXT,
  -- What ends it: `user`, `credit`, `cap` or `delete`; null while it may run.
  "stopping_for" TEXT,
  "desired" INTEGER NOT NULL DEFAULT 0,
  -- Since when there are more requests than the replicas are for, or fewer; null when it is otherwise.
  "busy_since" TIMESTAMPTZ(3),
  "calm_since" TIMESTAMPTZ(3),
  -- Replicas in a row that ended before they were ready.
  "failed_starts" INTEGER NOT NULL DEFAULT 0,
  -- Changes by the user, and the last one that is carried out.
  "revision" INTEGER NOT NULL DEFAULT 1,
  "applied_revision" INTEGER NOT NULL DEFAULT 1,
  -- Times that it was created or started, each with a check of the wallet.
  "starts" INTEGER NOT NULL DEFAULT 1,
  "event_seq" INTEGER NOT NULL DEFAULT 0,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "deleted_at" TIMESTAMPTZ(3),
  -- The lease of a worker; while `attempts` is 0, when one has to look at it again. Null: now.
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "dedicated_endpoint_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "dedicated_endpoint_state_check" CHECK ("state" IN
    ('PENDING', 'STARTING', 'RUNNING', 'UPDATING', 'SCALED_TO_ZERO', 'STOPPING', 'STOPPED', 'FAILED', 'DELETED')),
  CONSTRAINT "dedicated_endpoint_stopping_check" CHECK ("stopping_for" IN ('user', 'credit', 'cap', 'delete')),
  CONSTRAINT "dedicated_endpoint_replicas_check" CHECK
    ("min_replicas" >= 0 AND "max_replicas" >= 1 AND "min_replicas" <= "max_replicas" AND "desired" >= 0)
);
CREATE UNIQUE INDEX "dedicated_endpoint_key_key" ON "dedicated_endpoint"("routing_key");
CREATE INDEX "dedicated_endpoint_newest_idx" ON "dedicated_endpoint"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "dedicated_endpoint_open_idx" ON "dedicated_endpoint"("created_at")
  WHERE "state" NOT IN ('STOPPED', 'FAILED', 'DELETED');

-- One engine. Its id is the name of the engine, so that what runs without a row is found and ended.
CREATE TABLE "replica" (
  "id" UUID NOT NULL,
  "endpoint_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "hardware" TEXT NOT NULL,
  "price_nano_per_hour" BIGINT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'waiting',
  -- The worker in which its engine runs, or the name of the kind of engines when any worker can reach it. Null: not started.
  "host" TEXT,
  "address" TEXT,
  -- When its engine was last found alive.
  "seen_at" TIMESTAMPTZ(3),
  "failed_checks" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "started_at" TIMESTAMPTZ(3),
  "ready_at" TIMESTAMPTZ(3),
  "draining_at" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3),
  "end_reason" TEXT,
  -- Whether its last window is settled: then nothing is held for it any more.
  "settled" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "replica_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "replica_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "dedicated_endpoint"("id"),
  CONSTRAINT "replica_state_check" CHECK ("state" IN ('waiting', 'starting', 'ready', 'draining', 'ended')),
  CONSTRAINT "replica_ended_check" CHECK (("state" = 'ended') = ("ended_at" IS NOT NULL))
);
CREATE INDEX "replica_endpoint_idx" ON "replica"("endpoint_id", "created_at");
CREATE INDEX "replica_live_idx" ON "replica"("host") WHERE "state" <> 'ended';
CREATE INDEX "replica_unsettled_idx" ON "replica"("endpoint_id") WHERE NOT "settled";

-- When a replica was ready and paid, which is what is charged. Open while it is; of each replica at most one is open.
CREATE TABLE "replica_interval" (
  "replica_id" UUID NOT NULL,
  "endpoint_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "from_at" TIMESTAMPTZ(3) NOT NULL,
  "to_at" TIMESTAMPTZ(3),
  CONSTRAINT "replica_interval_pkey" PRIMARY KEY ("replica_id", "from_at"),
  CONSTRAINT "replica_interval_replica_id_fkey" FOREIGN KEY ("replica_id") REFERENCES "replica"("id"),
  CONSTRAINT "replica_interval_order_check" CHECK ("to_at" >= "from_at")
);
CREATE INDEX "replica_interval_endpoint_idx" ON "replica_interval"("endpoint_id", "from_at");

-- Five minutes of a replica, from a multiple of 300 seconds of the epoch. Held before they begin, charged once after them.
CREATE TABLE "replica_window" (
  "replica_id" UUID NOT NULL,
  "number" BIGINT NOT NULL,
  "endpoint_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- What the ledger calls it, as a job.
  "id" UUID NOT NULL,
  -- `asked` before the ledger is asked for its hold, `held`, `due` when its cost is certain, then `posted`.
  "state" TEXT NOT NULL DEFAULT 'asked',
  -- Whether the ledger has, or had, its hold.
  "taken" BOOLEAN NOT NULL DEFAULT false,
  "held_nano" BIGINT NOT NULL,
  "ready_ms" INTEGER,
  "cost_nano" BIGINT,
  CONSTRAINT "replica_window_pkey" PRIMARY KEY ("replica_id", "number"),
  CONSTRAINT "replica_window_replica_id_fkey" FOREIGN KEY ("replica_id") REFERENCES "replica"("id"),
  CONSTRAINT "replica_window_state_check" CHECK ("state" IN ('asked', 'held', 'due', 'posted')),
  CONSTRAINT "replica_window_posted_check" CHECK
    (("state" IN ('due', 'posted')) = ("cost_nano" IS NOT NULL) AND ("state" IN ('due', 'posted')) = ("ready_ms" IS NOT NULL)),
  CONSTRAINT "replica_window_cost_check" CHECK ("cost_nano" BETWEEN 0 AND "held_nano" AND "ready_ms" BETWEEN 0 AND 300000)
);
CREATE INDEX "replica_window_endpoint_idx" ON "replica_window"("endpoint_id", "number");
CREATE INDEX "replica_window_held_idx" ON "replica_window"("endpoint_id") WHERE "state" <> 'posted';

-- Windows with what they cost, those that are held as far as they have gone: whole micro-dollars, rounded up once.
CREATE VIEW "replica_window_cost" AS
  SELECT w."replica_id", w."number", w."endpoint_id", w."workspace_id", w."state", w."held_nano", m."ready_ms"::int AS "ready_ms",
    coalesce(w."cost_nano", least(w."held_nano", div(m."ready_ms"::numeric * r."price_nano_per_hour" + 3599999999, 3600000000) * 1000)
    )::bigint AS "cost_nano"
  FROM "replica_window" w JOIN "replica" r ON r."id" = w."replica_id"
    CROSS JOIN LATERAL (SELECT coalesce(w."ready_ms", round(1000 * (
      SELECT sum(extract(epoch FROM greatest(interval '0', least(coalesce(i."to_at", now()), to_timestamp((w."number" + 1) * 300))
        - greatest(i."from_at", to_timestamp(w."number" * 300)))))
      FROM "replica_interval" i WHERE i."replica_id" = w."replica_id"
    )), 0) AS "ready_ms") m;

CREATE TABLE "dedicated_event" (
  "endpoint_id" UUID NOT NULL,
  "seq" INTEGER NOT NULL,
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "type" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "replica_id" UUID,
  "message" TEXT NOT NULL,
  "cost_nano" BIGINT NOT NULL,
  CONSTRAINT "dedicated_event_pkey" PRIMARY KEY ("endpoint_id", "seq"),
  CONSTRAINT "dedicated_event_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "dedicated_endpoint"("id"),
  CONSTRAINT "dedicated_event_type_check" CHECK ("type" IN ('state', 'replica', 'changed'))
);

-- Requests at endpoints now, as each process of inference counts them. Inference writes both tables.
CREATE TABLE "dedicated_traffic" (
  "endpoint_id" UUID NOT NULL,
  "reporter" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "running" INTEGER NOT NULL,
  "waiting" INTEGER NOT NULL,
  -- Running requests by the id of their replica.
  "by_replica" JSONB NOT NULL,
  "last_request_at" TIMESTAMPTZ(3) NOT NULL,
  "reported_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "dedicated_traffic_pkey" PRIMARY KEY ("endpoint_id", "reporter")
);

-- What ended in a minute. Buckets: counts by the power of the square root of two that is over the milliseconds.
CREATE TABLE "dedicated_minute" (
  "endpoint_id" UUID NOT NULL,
  "minute" TIMESTAMPTZ(3) NOT NULL,
  "reporter" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "requests" INTEGER NOT NULL,
  "errors" INTEGER NOT NULL,
  "tokens" BIGINT NOT NULL,
  "ttft_buckets" JSONB NOT NULL,
  "wait_buckets" JSONB NOT NULL,
  CONSTRAINT "dedicated_minute_pkey" PRIMARY KEY ("endpoint_id", "minute", "reporter")
);
CREATE INDEX "dedicated_minute_oldest_idx" ON "dedicated_minute"("minute");

-- Where requests to endpoints go. Inference reads it when the revision of the workspace's routes has changed.
CREATE VIEW "dedicated_route" AS
  SELECT e."workspace_id", e."id", e."routing_key", e."base_model", e."state", e."target_concurrency", e."max_context_length",
    e."price_nano_per_hour"::text AS "price_nano_per_hour", e."created_at",
    coalesce((
      SELECT json_agg(json_build_object('id', r."id", 'address', r."address") ORDER BY r."id")
      FROM "replica" r WHERE r."endpoint_id" = e."id" AND r."state" = 'ready'
    ), '[]') AS "replicas",
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ms) FROM (
      SELECT extract(epoch FROM r."ready_at" - r."created_at") * 1000 AS ms FROM "replica" r
      WHERE r."endpoint_id" = e."id" AND r."ready_at" IS NOT NULL ORDER BY r."ready_at" DESC LIMIT 20
    ) s)::float8 AS "start_ms"
  FROM "dedicated_endpoint" e WHERE e."state" <> 'DELETED' AND e."stopping_for" IS DISTINCT FROM 'delete';

-- Every change of these routes is a new revision of the routes of the workspace.
CREATE FUNCTION "raise_route_revision"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "version_revision" AS r ("workspace_id", "revision") VALUES (NEW."workspace_id", 1)
  ON CONFLICT ("workspace_id") DO UPDATE SET "revision" = r."revision" + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER "dedicated_endpoint_routed" AFTER INSERT ON "dedicated_endpoint"
  FOR EACH ROW EXECUTE FUNCTION "raise_route_revision"();
CREATE TRIGGER "dedicated_endpoint_rerouted" AFTER UPDATE ON "dedicated_endpoint"
  FOR EACH ROW WHEN (
    OLD."state" <> NEW."state" OR OLD."stopping_for" IS DISTINCT FROM NEW."stopping_for"
    OR OLD."target_concurrency" <> NEW."target_concurrency"
  ) EXECUTE FUNCTION "raise_route_revision"();
CREATE TRIGGER "replica_rerouted" AFTER UPDATE ON "replica"
  FOR EACH ROW WHEN (OLD."state" <> NEW."state" AND 'ready' IN (OLD."state", NEW."state"))
  EXECUTE FUNCTION "raise_route_revision"();

GRANT SELECT, INSERT, UPDATE ON "dedicated_endpoint", "replica", "replica_interval", "replica_window" TO ratchet_training;
GRANT SELECT, INSERT ON "dedicated_event" TO ratchet_training;
GRANT SELECT ON "replica_window_cost", "dedicated_traffic", "dedicated_minute" TO ratchet_training;
GRANT SELECT, INSERT, UPDATE, DELETE ON "dedicated_traffic", "dedicated_minute" TO ratchet_inference;
GRANT SELECT ON "dedicated_route" TO ratchet_inference;
