-- Numbers of exchanges per segment and trace. Triggers update them with the log, so that reads do not count rows.

CREATE TABLE "segment_traffic" (
  "workspace_id" UUID NOT NULL,
  "segment" TEXT NOT NULL,
  "exchanges" BIGINT NOT NULL,
  "exact_variants" BIGINT NOT NULL,
  "first_at" TIMESTAMPTZ(3) NOT NULL,
  "last_at" TIMESTAMPTZ(3) NOT NULL,
  -- The expiry day of the newest exchange, which is its partition.
  "last_on" DATE NOT NULL,
  CONSTRAINT "segment_traffic_pkey" PRIMARY KEY ("workspace_id", "segment")
) WITH (fillfactor = 50);

CREATE TABLE "segment_variant" (
  "workspace_id" UUID NOT NULL,
  "segment" TEXT NOT NULL,
  "segment_exact" TEXT NOT NULL,
  "exchanges" BIGINT NOT NULL,
  CONSTRAINT "segment_variant_pkey" PRIMARY KEY ("workspace_id", "segment", "segment_exact")
) WITH (fillfactor = 80);

CREATE TABLE "trace_traffic" (
  "workspace_id" UUID NOT NULL,
  "trace_id" TEXT NOT NULL,
  "steps" BIGINT NOT NULL,
  "last_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "trace_traffic_pkey" PRIMARY KEY ("workspace_id", "trace_id")
) WITH (fillfactor = 80);
CREATE INDEX "trace_traffic_newest_idx" ON "trace_traffic"("workspace_id", "last_at" DESC, "trace_id" DESC) INCLUDE ("steps");

-- Added or deleted exchanges of one exact prompt and expiry day.
CREATE TYPE "segment_change" AS (
  "workspace_id" UUID, "segment" TEXT, "segment_exact" TEXT, "day" DATE, "exchanges" BIGINT, "first_at" TIMESTAMPTZ, "last_at" TIMESTAMPTZ
);

CREATE TYPE "trace_change" AS ("workspace_id" UUID, "trace_id" TEXT, "steps" BIGINT, "last_at" TIMESTAMPTZ);

-- Locks the rows of segments first, in sorted order. This prevents deadlocks and concurrent changes of their variants.
CREATE FUNCTION "count_exchanges_in"("changes" "segment_change"[]) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO segment_traffic AS t (workspace_id, segment, exchanges, exact_variants, first_at, last_at, last_on)
  SELECT c.workspace_id, c.segment, sum(c.exchanges), 0, min(c.first_at), max(c.last_at), (array_agg(c.day ORDER BY c.last_at DESC))[1]
  FROM unnest(changes) c GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (workspace_id, segment) DO UPDATE SET
    exchanges = t.exchanges + EXCLUDED.exchanges,
    first_at = least(t.first_at, EXCLUDED.first_at),
    last_at = greatest(t.last_at, EXCLUDED.last_at),
    last_on = CASE WHEN EXCLUDED.last_at > t.last_at THEN EXCLUDED.last_on ELSE t.last_on END;
  WITH variant AS (
    SELECT c.workspace_id, c.segment, c.segment_exact, sum(c.exchanges) AS exchanges FROM unnest(changes) c GROUP BY 1, 2, 3
  ), counted AS (
    INSERT INTO segment_variant AS v (workspace_id, segment, segment_exact, exchanges) SELECT * FROM variant
    ON CONFLICT (workspace_id, segment, segment_exact) DO UPDATE SET exchanges = v.exchanges + EXCLUDED.exchanges
    RETURNING v.workspace_id, v.segment, v.segment_exact, v.exchanges
  ), fresh AS (
    SELECT workspace_id, segment, count(*) AS variants FROM variant JOIN counted USING (workspace_id, segment, segment_exact, exchanges) GROUP BY 1, 2
  )
  UPDATE segment_traffic t SET exact_variants = t.exact_variants + fresh.variants
  FROM fresh WHERE t.workspace_id = fresh.workspace_id AND t.segment = fresh.segment;
END
$$;

-- The exchanges are deleted already. If one was the first or the last, the new one is read from the log.
CREATE FUNCTION "count_exchanges_out"("changes" "segment_change"[]) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM 1 FROM segment_traffic t
  WHERE (t.workspace_id, t.segment) IN (SELECT c.workspace_id, c.segment FROM unnest(changes) c)
  ORDER BY t.workspace_id, t.segment FOR UPDATE;
  UPDATE segment_variant v SET exchanges = v.exchanges - gone.exchanges
  FROM (SELECT c.workspace_id, c.segment, c.segment_exact, sum(c.exchanges) AS exchanges FROM unnest(changes) c GROUP BY 1, 2, 3) gone
  WHERE v.workspace_id = gone.workspace_id AND v.segment = gone.segment AND v.segment_exact = gone.segment_exact;
  WITH gone AS (
    SELECT c.workspace_id, c.segment, sum(c.exchanges) AS exchanges, min(c.first_at) AS first_at, max(c.last_at) AS last_at
    FROM unnest(changes) c GROUP BY 1, 2
  ), lost AS (
    DELETE FROM segment_variant v USING unnest(changes) c
    WHERE v.workspace_id = c.workspace_id AND v.segment = c.segment AND v.segment_exact = c.segment_exact AND v.exchanges <= 0
    RETURNING v.workspace_id, v.segment
  )
  UPDATE segment_traffic t SET
    exchanges = t.exchanges - gone.exchanges,
    exact_variants = t.exact_variants - (SELECT count(*) FROM lost WHERE lost.workspace_id = t.workspace_id AND lost.segment = t.segment),
    first_at = CASE WHEN gone.first_at > t.first_at THEN t.first_at ELSE coalesce((
      SELECT e.created_at FROM exchange e WHERE e.workspace_id = t.workspace_id AND e.segment = t.segment ORDER BY e.created_at LIMIT 1
    ), t.first_at) END,
    (last_at, last_on) = (
      SELECT coalesce(newest.created_at, t.last_at), coalesce(newest.expires_on, t.last_on)
      FROM (SELECT 1) one LEFT JOIN LATERAL (
        SELECT e.created_at, e.expires_on FROM exchange e
        WHERE gone.last_at >= t.last_at AND e.workspace_id = t.workspace_id AND e.segment = t.segment
        ORDER BY e.created_at DESC LIMIT 1
      ) newest ON true
    )
  FROM gone WHERE t.workspace_id = gone.workspace_id AND t.segment = gone.segment;
  DELETE FROM segment_traffic t USING unnest(changes) c
  WHERE t.workspace_id = c.workspace_id AND t.segment = c.segment AND t.exchanges <= 0;
END
$$;

-- Sorted by trace, to prevent deadlocks.
CREATE FUNCTION "count_steps_in"("changes" "trace_change"[]) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  INSERT INTO trace_traffic AS t (workspace_id, trace_id, steps, last_at)
  SELECT c.workspace_id, c.trace_id, c.steps, c.last_at FROM unnest(changes) c ORDER BY 1, 2
  ON CONFLICT (workspace_id, trace_id) DO UPDATE SET
    steps = t.steps + EXCLUDED.steps, last_at = greatest(t.last_at, EXCLUDED.last_at);
$$;

CREATE FUNCTION "count_steps_out"("changes" "trace_change"[]) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM 1 FROM trace_traffic t
  WHERE (t.workspace_id, t.trace_id) IN (SELECT c.workspace_id, c.trace_id FROM unnest(changes) c)
  ORDER BY t.workspace_id, t.trace_id FOR UPDATE;
  DELETE FROM trace_traffic t USING unnest(changes) c
  WHERE t.workspace_id = c.workspace_id AND t.trace_id = c.trace_id AND t.steps <= c.steps;
  UPDATE trace_traffic t SET
    steps = t.steps - c.steps,
    last_at = CASE WHEN c.last_at < t.last_at THEN t.last_at ELSE coalesce((
      SELECT e.created_at FROM exchange e WHERE e.workspace_id = t.workspace_id AND e.trace_id = t.trace_id ORDER BY e.created_at DESC LIMIT 1
    ), t.last_at) END
  FROM unnest(changes) c WHERE t.workspace_id = c.workspace_id AND t.trace_id = c.trace_id;
END
$$;

-- Once per statement; segments before traces, to prevent deadlocks.
CREATE FUNCTION "count_exchange_traffic"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Apart: only an update has both tables.
  IF TG_OP = 'UPDATE' THEN
    IF NOT EXISTS (
      SELECT workspace_id, segment, segment_exact, trace_id, expires_on, created_at, id FROM gone
      EXCEPT SELECT workspace_id, segment, segment_exact, trace_id, expires_on, created_at, id FROM added
    ) THEN
      RETURN NULL;
    END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM count_exchanges_out(array_agg(change)) FROM (
      SELECT (workspace_id, segment, segment_exact, expires_on, count(*), min(created_at), max(created_at))::segment_change AS change
      FROM gone GROUP BY workspace_id, segment, segment_exact, expires_on
    ) changes HAVING count(*) > 0;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM count_exchanges_in(array_agg(change)) FROM (
      SELECT (workspace_id, segment, segment_exact, expires_on, count(*), min(created_at), max(created_at))::segment_change AS change
      FROM added GROUP BY workspace_id, segment, segment_exact, expires_on
    ) changes HAVING count(*) > 0;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    PERFORM count_steps_out(array_agg(change)) FROM (
      SELECT (workspace_id, trace_id, count(*), max(created_at))::trace_change AS change
      FROM gone WHERE trace_id IS NOT NULL GROUP BY workspace_id, trace_id
    ) changes HAVING count(*) > 0;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM count_steps_in(array_agg(change)) FROM (
      SELECT (workspace_id, trace_id, count(*), max(created_at))::trace_change AS change
      FROM added WHERE trace_id IS NOT NULL GROUP BY workspace_id, trace_id
    ) changes HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "exchange_counted_in" AFTER INSERT ON "exchange" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_exchange_traffic"();
CREATE TRIGGER "exchange_counted_out" AFTER DELETE ON "exchange" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "count_exchange_traffic"();
CREATE TRIGGER "exchange_counted_anew" AFTER UPDATE ON "exchange" REFERENCING OLD TABLE AS gone NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_exchange_traffic"();

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
    WHERE i.inhparent IN ('exchange'::regclass, 'exchange_content'::regclass)
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

SELECT "count_exchanges_in"(array_agg(change)) FROM (
  SELECT (workspace_id, segment, segment_exact, expires_on, count(*), min(created_at), max(created_at))::segment_change AS change
  FROM "exchange" GROUP BY workspace_id, segment, segment_exact, expires_on
) changes HAVING count(*) > 0;

SELECT "count_steps_in"(array_agg(change)) FROM (
  SELECT (workspace_id, trace_id, count(*), max(created_at))::trace_change AS change
  FROM "exchange" WHERE trace_id IS NOT NULL GROUP BY workspace_id, trace_id
) changes HAVING count(*) > 0;

REVOKE ALL ON FUNCTION "count_exchanges_in"("segment_change"[]), "count_exchanges_out"("segment_change"[]),
  "count_steps_in"("trace_change"[]), "count_steps_out"("trace_change"[]), "count_exchange_traffic"() FROM PUBLIC;
GRANT SELECT ON "segment_traffic", "trace_traffic" TO ratchet_logging;
