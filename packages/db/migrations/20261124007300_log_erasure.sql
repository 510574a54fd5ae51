-- What was deleted from a day of expiry. Postgres leaves deleted rows in the files of a partition, also after a vacuum,
-- until other rows take their place. So the log writes such a partition again, without them.
CREATE TABLE "log_erasure" (
  "id" BIGINT GENERATED ALWAYS AS IDENTITY,
  "expires_on" DATE NOT NULL,
  "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT "log_erasure_pkey" PRIMARY KEY ("id")
);
GRANT SELECT, DELETE ON "log_erasure" TO ratchet_logging;

-- By triggers, so that no statement that deletes exchanges can forget it. Contents are deleted or moved in the
-- transaction that deletes or moves their exchange. Rows are only added, so deletions do not wait for each other.
CREATE FUNCTION "note_erasure"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  -- Apart: only an update has both tables.
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO log_erasure (expires_on)
    SELECT DISTINCT g.expires_on FROM gone g
    WHERE NOT EXISTS (SELECT FROM added a WHERE a.id = g.id AND a.expires_on = g.expires_on);
  ELSE
    INSERT INTO log_erasure (expires_on) SELECT DISTINCT expires_on FROM gone;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "exchange_erased" AFTER DELETE ON "exchange" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "note_erasure"();
CREATE TRIGGER "exchange_moved" AFTER UPDATE ON "exchange" REFERENCING OLD TABLE AS gone NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "note_erasure"();

-- Writes one partition of a day again and removes its old files. Nobody reads or writes it meanwhile, so a large one is
-- left as it is. It does not wait long for others, because others wait behind it. SECURITY DEFINER, because
-- ratchet_logging owns no tables.
CREATE FUNCTION "rewrite_exchange_partition"("table_name" TEXT, "day" DATE, "max_bytes" BIGINT) RETURNS TEXT
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
  RETURN 'rewritten';
END
$$;
REVOKE ALL ON FUNCTION "note_erasure"(), "rewrite_exchange_partition"(TEXT, DATE, BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "rewrite_exchange_partition"(TEXT, DATE, BIGINT) TO ratchet_logging;

-- Begins a new file of the write-ahead log, so that old files, which contain deleted rows, are used again also while
-- little is written. Returns false where the owner of the tables may not do that.
CREATE FUNCTION "begin_wal_file"() RETURNS BOOLEAN LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM pg_switch_wal();
  RETURN true;
EXCEPTION WHEN insufficient_privilege THEN
  RETURN false;
END
$$;
REVOKE ALL ON FUNCTION "begin_wal_file"() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "begin_wal_file"() TO ratchet_logging;
