-- Every stored exchange pays for each index of its table. The index of all filters answers single filters too, so each
-- of these only repeats it. Five remain for every exchange: id, request, newest, cost and all filters. Three others
-- contain only rows with a trace, with an alias, or of an import. exchange_id_idx finds rows by their id, also within a day.
DROP INDEX "exchange_segment_idx", "exchange_tag_idx", "exchange_model_idx", "exchange_finish_idx", "exchange_alias_idx",
  "exchange_cached_idx", "exchange_canary_idx", "exchange_tools_idx";
ALTER TABLE "exchange" DROP CONSTRAINT "exchange_pkey";

-- The oldest exchange of a segment that is not older than `earliest`. It is usually among the next exchanges of the
-- workspace. A segment that does not occur there is rare enough to read all its exchanges.
CREATE FUNCTION "first_of_segment"("in_workspace" UUID, "in_segment" TEXT, "earliest" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE plpgsql STABLE SET search_path = public SET enable_seqscan = off AS $$
DECLARE
  found_at TIMESTAMPTZ;
BEGIN
  SELECT w.created_at INTO found_at FROM (
    SELECT e.created_at, e.segment FROM exchange e WHERE e.workspace_id = in_workspace AND e.created_at >= earliest
    ORDER BY e.created_at, e.id LIMIT 1000
  ) w WHERE w.segment = in_segment ORDER BY w.created_at LIMIT 1;
  IF NOT FOUND THEN
    SELECT min(e.created_at) INTO found_at FROM exchange e
    WHERE exchange_facets(e.workspace_id, e.served_model, e.tag, e.segment, e.finish_reason, e.trace_id, e.alias, e.cached, e.canary, e.has_tool_calls, e.cost_nano)
      @> ARRAY[hashtextextended(in_segment, uuid_hash_extended(in_workspace, 3))];
  END IF;
  RETURN found_at;
END
$$;

-- The newest exchange of a segment that is not newer than `latest`, found in the same way.
CREATE FUNCTION "last_of_segment"(
  "in_workspace" UUID, "in_segment" TEXT, "latest" TIMESTAMPTZ, OUT "last_at" TIMESTAMPTZ, OUT "last_on" DATE
) LANGUAGE plpgsql STABLE SET search_path = public SET enable_seqscan = off AS $$
BEGIN
  SELECT w.created_at, w.expires_on INTO last_at, last_on FROM (
    SELECT e.created_at, e.segment, e.expires_on FROM exchange e WHERE e.workspace_id = in_workspace AND e.created_at <= latest
    ORDER BY e.created_at DESC, e.id DESC LIMIT 1000
  ) w WHERE w.segment = in_segment ORDER BY w.created_at DESC LIMIT 1;
  IF NOT FOUND THEN
    SELECT e.created_at, e.expires_on INTO last_at, last_on FROM exchange e
    WHERE exchange_facets(e.workspace_id, e.served_model, e.tag, e.segment, e.finish_reason, e.trace_id, e.alias, e.cached, e.canary, e.has_tool_calls, e.cost_nano)
      @> ARRAY[hashtextextended(in_segment, uuid_hash_extended(in_workspace, 3))]
    ORDER BY e.created_at DESC LIMIT 1;
  END IF;
END
$$;
REVOKE ALL ON FUNCTION "first_of_segment"(UUID, TEXT, TIMESTAMPTZ), "last_of_segment"(UUID, TEXT, TIMESTAMPTZ) FROM PUBLIC;

-- The exchanges are deleted already. If one was the first or the last of a segment that still has exchanges, the new one
-- is read from the log.
CREATE OR REPLACE FUNCTION "count_exchanges_out"("changes" "segment_change"[]) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
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
    first_at = CASE WHEN gone.first_at > t.first_at OR gone.exchanges >= t.exchanges THEN t.first_at
      ELSE coalesce(first_of_segment(t.workspace_id, t.segment, t.first_at), t.first_at) END,
    (last_at, last_on) = (
      SELECT coalesce(newest.last_at, t.last_at), coalesce(newest.last_on, t.last_on)
      FROM (SELECT 1) one LEFT JOIN LATERAL last_of_segment(t.workspace_id, t.segment, t.last_at) newest
        ON gone.last_at >= t.last_at AND gone.exchanges < t.exchanges
    )
  FROM gone WHERE t.workspace_id = gone.workspace_id AND t.segment = gone.segment;
  DELETE FROM segment_traffic t USING unnest(changes) c
  WHERE t.workspace_id = c.workspace_id AND t.segment = c.segment AND t.exchanges <= 0;
END
$$;
