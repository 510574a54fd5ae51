-- A table that is written again keeps deleted rows that an older transaction may still read, such as that of a backup or of an
-- analysis. Both functions say so now, and the table is written again later.
-- The indexes, which were just built, have an entry for each row that was kept.

CREATE FUNCTION "has_deleted_rows"("part" REGCLASS) RETURNS BOOLEAN LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
  kept BIGINT;
  readable BIGINT;
BEGIN
  SELECT max(c.reltuples)::bigint INTO kept FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    JOIN pg_am m ON m.oid = c.relam
  WHERE i.indrelid = part AND i.indpred IS NULL AND m.amname = 'btree';
  EXECUTE format('SELECT count(*) FROM %s', part) INTO readable;
  RETURN kept > readable;
END
$$;
REVOKE ALL ON FUNCTION "has_deleted_rows"(REGCLASS) FROM PUBLIC;

DROP FUNCTION "rewrite_segment_families"(BIGINT);
-- False: something of deleted rows is left.
CREATE FUNCTION "rewrite_segment_families"("max_bytes" BIGINT) RETURNS BOOLEAN
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public SET lock_timeout = '500ms' AS $$
BEGIN
  IF pg_total_relation_size('segment_family') > max_bytes THEN
    RETURN true;
  END IF;
  CLUSTER segment_family USING segment_family_pkey;
  RETURN NOT has_deleted_rows('segment_family');
END
$$;
REVOKE ALL ON FUNCTION "rewrite_segment_families"(BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "rewrite_segment_families"(BIGINT) TO ratchet_logging;

CREATE OR REPLACE FUNCTION "rewrite_exchange_partition"("table_name" TEXT, "day" DATE, "max_bytes" BIGINT) RETURNS TEXT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public SET lock_timeout = '500ms' AS $$
DECLARE
  part REGCLASS;
  ordered_by TEXT;
BEGIN
  IF table_name NOT IN ('exchange', 'exchange_content', 'exchange_block') THEN
    RAISE EXCEPTION 'no table of the log: %', table_name USING ERRCODE = 'invalid_parameter_value';
  END IF;
  part := to_regclass(format('%I', table_name || '_' || to_char(day, 'YYYYMMDD')));
  IF part IS NULL THEN
    RETURN 'missing';
  END IF;
  IF pg_total_relation_size(part) > max_bytes THEN
    RETURN 'too_large';
  END IF;
  SELECT c.relname INTO ordered_by FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
  WHERE i.indrelid = part AND i.indisvalid AND i.indpred IS NULL AND m.amname = 'btree'
  ORDER BY i.indnkeyatts, c.relname LIMIT 1;
  EXECUTE format('CLUSTER %s USING %I', part, ordered_by);
  RETURN CASE WHEN has_deleted_rows(part) THEN 'busy' ELSE 'rewritten' END;
END
$$;
