-- The content of several exchanges of one workspace and expiry day, compressed together by the log.
CREATE TABLE "exchange_block" (
  "expires_on" DATE NOT NULL,
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- How many exchanges have their content in it.
  "exchanges" INTEGER NOT NULL,
  "content" BYTEA NOT NULL,
  CONSTRAINT "exchange_block_pkey" PRIMARY KEY ("expires_on", "id")
) PARTITION BY RANGE ("expires_on");
-- It is compressed already.
ALTER TABLE "exchange_block" ALTER COLUMN "content" SET STORAGE EXTERNAL;
GRANT SELECT, INSERT, UPDATE, DELETE ON "exchange_block" TO ratchet_logging;

-- Null when the content is in exchange_content.
ALTER TABLE "exchange" ADD COLUMN "block_id" UUID;

CREATE OR REPLACE FUNCTION "ensure_exchange_partition"("day" DATE) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  suffix TEXT := to_char(day, 'YYYYMMDD');
BEGIN
  IF day < CURRENT_DATE - 1 OR day > CURRENT_DATE + 400 THEN
    RAISE EXCEPTION 'no partition for %', day USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM pg_advisory_xact_lock(7402315002);
  IF to_regclass('exchange_' || suffix) IS NULL THEN
    EXECUTE format('CREATE TABLE %I PARTITION OF exchange FOR VALUES FROM (%L) TO (%L)', 'exchange_' || suffix, day, day + 1);
    PERFORM prepare_exchange_partition('exchange_' || suffix);
  END IF;
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF exchange_content FOR VALUES FROM (%L) TO (%L)', 'exchange_content_' || suffix, day, day + 1);
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF exchange_block FOR VALUES FROM (%L) TO (%L)', 'exchange_block_' || suffix, day, day + 1);
END
$$;

-- Processes of the previous release have created partitions of days, and do not check these days again.
DO $$
DECLARE
  part RECORD;
BEGIN
  FOR part IN
    SELECT right(c.relname, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'exchange'::regclass AND right(c.relname, 8) >= to_char(CURRENT_DATE - 1, 'YYYYMMDD')
  LOOP
    PERFORM ensure_exchange_partition(to_date(part.day, 'YYYYMMDD'));
  END LOOP;
END
$$;

-- Returns the number of dropped partitions. DROP fires no trigger, so rows are counted here. The table is locked before
-- segments, as writers do.
CREATE OR REPLACE FUNCTION "drop_expired_exchange_partitions"() RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  part RECORD;
  segments segment_change[];
  traces trace_change[];
  dropped INTEGER := 0;
BEGIN
  FOR part IN
    SELECT c.relname, i.inhparent = 'exchange'::regclass AS is_counted FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN ('exchange'::regclass, 'exchange_content'::regclass, 'exchange_block'::regclass)
      AND right(c.relname, 8) < to_char(CURRENT_DATE, 'YYYYMMDD')
  LOOP
    segments := NULL;
    traces := NULL;
    IF part.is_counted THEN
      LOCK TABLE exchange IN ACCESS EXCLUSIVE MODE;
      EXECUTE format($sql$
        SELECT array_agg(change) FROM (
          SELECT (workspace_id, segment, segment_exact, expires_on, count(*), min(created_at), max(created_at))::segment_change AS change
          FROM %I GROUP BY workspace_id, segment, segment_exact, expires_on
        ) changes
      $sql$, part.relname) INTO segments;
      EXECUTE format($sql$
        SELECT array_agg(change) FROM (
          SELECT (workspace_id, trace_id, count(*), max(created_at))::trace_change AS change
          FROM %I WHERE trace_id IS NOT NULL GROUP BY workspace_id, trace_id
        ) changes
      $sql$, part.relname) INTO traces;
    END IF;
    EXECUTE format('DROP TABLE %I', part.relname);
    IF segments IS NOT NULL THEN
      PERFORM count_exchanges_out(segments);
    END IF;
    IF traces IS NOT NULL THEN
      PERFORM count_steps_out(traces);
    END IF;
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END
$$;
