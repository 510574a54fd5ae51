-- The log: exchanges, their content, segments, and spans that are not exchanges.

DO $$
BEGIN
  BEGIN
    CREATE ROLE ratchet_logging NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
  END;
  GRANT ratchet_logging TO CURRENT_USER;
  GRANT USAGE ON SCHEMA public TO ratchet_logging;
END
$$;

CREATE TYPE "exchange_source" AS ENUM ('gateway', 'otlp', 'import');

-- Partitioned by the day on which rows expire: retention drops complete days.
CREATE TABLE "exchange" (
  "expires_on" DATE NOT NULL,
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "request_id" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "source" "exchange_source" NOT NULL,
  "served_model" TEXT NOT NULL,
  "requested_model" TEXT NOT NULL,
  "provider" TEXT NOT NULL,
  "alias" TEXT,
  "canary" BOOLEAN NOT NULL DEFAULT false,
  "fallback_from" TEXT,
  "tag" TEXT,
  "trace_id" TEXT,
  "span_id" TEXT,
  "parent_span_id" TEXT,
  "conversation_id" TEXT,
  "segment" TEXT NOT NULL,
  "segment_exact" TEXT NOT NULL,
  "finish_reason" TEXT,
  "stream" BOOLEAN NOT NULL,
  "cached" BOOLEAN NOT NULL,
  "has_tool_calls" BOOLEAN NOT NULL,
  "prompt_tokens" INTEGER NOT NULL,
  "completion_tokens" INTEGER NOT NULL,
  "reasoning_tokens" INTEGER,
  "cost_nano" BIGINT,
  "latency_ms" DOUBLE PRECISION NOT NULL,
  "ttft_ms" DOUBLE PRECISION,
  "redaction_count" INTEGER NOT NULL,
  "redaction_kinds" TEXT[] NOT NULL,
  "size_bytes" INTEGER NOT NULL,
  -- Excludes the answer, so that equal prompts have equal hashes.
  "prompt_hash" BYTEA NOT NULL,
  CONSTRAINT "exchange_pkey" PRIMARY KEY ("expires_on", "id"),
  CONSTRAINT "exchange_day_check" CHECK ("expires_on" = ("expires_at" AT TIME ZONE 'UTC')::date)
) PARTITION BY RANGE ("expires_on");

-- A row that arrives twice is stored once: its expiry is set only once, at capture.
CREATE UNIQUE INDEX "exchange_request_key" ON "exchange"("expires_on", "workspace_id", "request_id");
CREATE INDEX "exchange_newest_idx" ON "exchange"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "exchange_segment_idx" ON "exchange"("workspace_id", "segment", "created_at" DESC, "id" DESC);
CREATE INDEX "exchange_tag_idx" ON "exchange"("workspace_id", "tag", "created_at" DESC, "id" DESC) WHERE "tag" IS NOT NULL;
CREATE INDEX "exchange_trace_idx" ON "exchange"("workspace_id", "trace_id", "created_at") WHERE "trace_id" IS NOT NULL;

-- Separate, so that lists without content never read it.
CREATE TABLE "exchange_content" (
  "expires_on" DATE NOT NULL,
  "id" UUID NOT NULL,
  "messages" TEXT NOT NULL,
  "response" TEXT NOT NULL,
  "tools" TEXT,
  "response_format" TEXT,
  "params" TEXT NOT NULL,
  CONSTRAINT "exchange_content_pkey" PRIMARY KEY ("expires_on", "id")
) PARTITION BY RANGE ("expires_on");

CREATE TABLE "segment_family" (
  "workspace_id" UUID NOT NULL,
  "id" TEXT NOT NULL,
  "label" TEXT NOT NULL,
  "state" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "segment_family_pkey" PRIMARY KEY ("workspace_id", "id")
);

-- Spans that are not exchanges: agents, tools, retrieval.
CREATE TABLE "span" (
  "workspace_id" UUID NOT NULL,
  "trace_id" TEXT NOT NULL,
  "span_id" TEXT NOT NULL,
  "parent_span_id" TEXT,
  "name" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "ended_at" TIMESTAMPTZ(3) NOT NULL,
  "status" TEXT NOT NULL,
  "attributes" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "span_pkey" PRIMARY KEY ("workspace_id", "trace_id", "span_id")
);
CREATE INDEX "span_expires_at_idx" ON "span"("expires_at");

-- lz4 is faster than pglz, but not every Postgres server is built with it.
DO $$
DECLARE
  pair TEXT[];
BEGIN
  FOREACH pair SLICE 1 IN ARRAY ARRAY[
    ['exchange_content', 'messages'], ['exchange_content', 'response'], ['exchange_content', 'tools'],
    ['exchange_content', 'response_format'], ['segment_family', 'state'], ['span', 'attributes']
  ] LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET COMPRESSION lz4', pair[1], pair[2]);
  END LOOP;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END
$$;

-- The first write for a day creates its partitions. SECURITY DEFINER, because ratchet_logging owns no tables.
CREATE FUNCTION "ensure_exchange_partition"("day" DATE) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  suffix TEXT := to_char(day, 'YYYYMMDD');
BEGIN
  IF day < CURRENT_DATE - 1 OR day > CURRENT_DATE + 400 THEN
    RAISE EXCEPTION 'no partition for %', day USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM pg_advisory_xact_lock(7402315002);
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF exchange FOR VALUES FROM (%L) TO (%L)', 'exchange_' || suffix, day, day + 1);
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF exchange_content FOR VALUES FROM (%L) TO (%L)', 'exchange_content_' || suffix, day, day + 1);
END
$$;

-- Returns the number of dropped partitions.
CREATE FUNCTION "drop_expired_exchange_partitions"() RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  part RECORD;
  dropped INTEGER := 0;
BEGIN
  FOR part IN
    SELECT c.relname FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('exchange'::regclass, 'exchange_content'::regclass)
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < CURRENT_DATE
  LOOP
    EXECUTE format('DROP TABLE %I', part.relname);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END
$$;

REVOKE ALL ON FUNCTION "ensure_exchange_partition"(DATE), "drop_expired_exchange_partitions"() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "ensure_exchange_partition"(DATE), "drop_expired_exchange_partitions"() TO ratchet_logging;

-- All that logging may read of a workspace. Logging deletes the exchanges of workspaces that are missing here.
CREATE VIEW "workspace_logging_settings" AS
  SELECT w."id" AS workspace_id, w."slug", w."name",
    coalesce(s."logging_enabled", false) AS logging_enabled,
    coalesce(s."retention_days", 30) AS retention_days
  FROM "workspace" w
  LEFT JOIN "workspace_settings" s ON s."workspace_id" = w."id";

-- Adds retention_days: inference sets the expiry at capture.
CREATE OR REPLACE VIEW "workspace_inference_settings" AS
  SELECT
    w."id" AS workspace_id,
    coalesce(s."logging_enabled", false) AS logging_enabled,
    coalesce(s."response_cache", false) AS response_cache,
    coalesce(s."fallback_models", ARRAY[]::TEXT[]) AS fallback_models,
    s."requests_per_minute",
    s."tokens_per_minute",
    (
      SELECT coalesce(jsonb_object_agg(
        k."id", jsonb_build_object('requests_per_minute', k."requests_per_minute", 'tokens_per_minute', k."tokens_per_minute")
      ), '{}')
      FROM "api_key" k
      WHERE k."workspace_id" = w."id" AND k."revoked_at" IS NULL
        AND (k."requests_per_minute" IS NOT NULL OR k."tokens_per_minute" IS NOT NULL)
    ) AS key_limits,
    coalesce(s."retention_days", 30) AS retention_days
  FROM "workspace" w
  LEFT JOIN "workspace_settings" s ON s."workspace_id" = w."id";

GRANT SELECT, INSERT, UPDATE, DELETE ON "exchange", "exchange_content", "span" TO ratchet_logging;
GRANT SELECT, INSERT, UPDATE ON "segment_family" TO ratchet_logging;
GRANT SELECT ON "workspace_logging_settings" TO ratchet_logging;
