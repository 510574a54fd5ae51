-- How requests ended, counted in memory by each inference process and added once a second.

-- Requests by hour and by what they were. `outcome` is answered, cached or a cause of failures. A zero key id and empty
-- texts mean none or unknown. It is the total of every page: rows of failed requests may be missing when many fail at once.
CREATE TABLE "request_outcome_hour" (
  "workspace_id" UUID NOT NULL,
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "outcome" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "provider" TEXT NOT NULL,
  "key_id" UUID NOT NULL,
  "tag" TEXT NOT NULL,
  "alias" TEXT NOT NULL,
  "count" BIGINT NOT NULL,
  "first_at" TIMESTAMPTZ(3) NOT NULL,
  "last_at" TIMESTAMPTZ(3) NOT NULL,
  "last_request_id" UUID NOT NULL,
  CONSTRAINT "request_outcome_hour_pkey"
    PRIMARY KEY ("workspace_id", "hour", "outcome", "model", "provider", "key_id", "tag", "alias")
) WITH (fillfactor = 70);
CREATE INDEX "request_outcome_hour_hour_idx" ON "request_outcome_hour"("hour");

-- The last report of each process, so that a repeated one counts once.
CREATE TABLE "outcome_reporter" (
  "id" UUID NOT NULL,
  "number" BIGINT NOT NULL,
  "reported_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "outcome_reporter_pkey" PRIMARY KEY ("id")
);

-- Requests that did not end in a whole answer, for 30 days. Partitioned by day, so that a day is dropped at once.
CREATE TABLE "failed_request" (
  "request_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "cause" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "provider" TEXT,
  "key_id" UUID,
  "tag" TEXT,
  "alias" TEXT,
  "trace_id" TEXT,
  "upstream_status" INTEGER,
  "tries" INTEGER NOT NULL,
  "latency_ms" INTEGER NOT NULL,
  "error_code" TEXT,
  "message" TEXT NOT NULL,
  CONSTRAINT "failed_request_pkey" PRIMARY KEY ("at", "request_id")
) PARTITION BY RANGE ("at");
CREATE INDEX "failed_request_workspace_idx" ON "failed_request"("workspace_id", "cause", "at", "request_id");
-- Takes rows of days without a partition, so that a row never fails for want of one.
CREATE TABLE "failed_request_default" PARTITION OF "failed_request" DEFAULT;

-- Creates the partitions of today and the next two days, and drops those of days that ended more than 30 days ago. SECURITY
-- DEFINER, because ratchet_inference owns no tables. It gives up early when others use the table, and is called again.
CREATE FUNCTION "keep_failed_requests"() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public SET lock_timeout = '100ms' AS $$
DECLARE
  today DATE := (now() AT TIME ZONE 'UTC')::date;
  day DATE;
  name TEXT;
BEGIN
  PERFORM pg_advisory_xact_lock(7402315041);
  FOR ahead IN REVERSE 2..0 LOOP
    day := today + ahead;
    name := 'failed_request_' || to_char(day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE %I PARTITION OF failed_request FOR VALUES FROM (%L) TO (%L)', name,
        day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    EXCEPTION WHEN lock_not_available OR check_violation THEN
      RAISE WARNING 'no partition % of failed requests: %', name, SQLERRM;
    END;
  END LOOP;
  FOR name IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'failed_request'::regclass AND c.relname ~ '^failed_request_\d{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - 30
  LOOP
    BEGIN
      EXECUTE format('DROP TABLE %I', name);
    EXCEPTION WHEN lock_not_available THEN
      RAISE WARNING 'partition % of failed requests is in use', name;
    END;
  END LOOP;
  DELETE FROM failed_request_default WHERE at < now() - interval '31 days';
END
$$;
SELECT "keep_failed_requests"();

-- Requests that the edge refused after it knew the key, counted by hour.
CREATE TABLE "edge_refusal_hour" (
  "workspace_id" UUID NOT NULL,
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "cause" TEXT NOT NULL,
  "count" BIGINT NOT NULL,
  "first_at" TIMESTAMPTZ(3) NOT NULL,
  "last_at" TIMESTAMPTZ(3) NOT NULL,
  "last_request_id" UUID NOT NULL,
  CONSTRAINT "edge_refusal_hour_pkey" PRIMARY KEY ("workspace_id", "hour", "cause")
) WITH (fillfactor = 70);

REVOKE ALL ON FUNCTION "keep_failed_requests"() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "keep_failed_requests"() TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE, DELETE ON "request_outcome_hour" TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE, DELETE ON "outcome_reporter" TO ratchet_inference;
GRANT SELECT, INSERT ON "failed_request" TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE, DELETE ON "edge_refusal_hour" TO ratchet_edge;
-- Failed requests are one list for people: inference adds the edge's counts to its own.
GRANT SELECT ON "edge_refusal_hour" TO ratchet_inference;
