-- One index finds exchanges by any combination of filters and words: it intersects their keys before rows are read.
-- Every key is a hash of the workspace and the value, so that logs of other workspaces do not slow down a search.

-- The words of a JSON text. Its escapes are removed, because they would join the next word. Postgres's text parser is
-- not used: it takes quadratic time for runs such as `a1@a1@` and `a_a_`, which is minutes for a long prompt.
CREATE FUNCTION "exchange_words"("workspace_id" UUID, "text" TEXT) RETURNS BIGINT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(DISTINCT hashtextextended(word, uuid_hash_extended(workspace_id, 0))), '{}')
  FROM regexp_split_to_table(lower(replace(replace(replace(text, '\n', ' '), '\t', ' '), '\r', ' ') COLLATE pg_catalog.pg_c_utf8), '[^[:alnum:]]+') AS word
  WHERE word <> ''
$$;

-- The words of an exchange. Only the first 50,000 characters of each side are indexed, to limit the cost.
CREATE FUNCTION "exchange_words"("workspace_id" UUID, "messages" TEXT, "response" TEXT) RETURNS BIGINT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
  SELECT exchange_words(workspace_id, left(messages, 50000) || ' ' || left(response, 50000))
$$;

-- Two steps for each factor of ten between a microdollar and ten dollars, which is step 20. A higher cost never has a
-- lower step.
CREATE FUNCTION "exchange_cost_step"("cost_nano" BIGINT) RETURNS INTEGER LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN cost_nano > 0 THEN least(20, greatest(5, floor(log(cost_nano::float8) * 2)::integer)) WHEN cost_nano IS NOT NULL THEN 4 END
$$;

-- One key per value of a filter; none for null. Indexes are built without a search path, hence `public.`.
CREATE FUNCTION "exchange_facets"(
  "workspace_id" UUID, "served_model" TEXT, "tag" TEXT, "segment" TEXT, "finish_reason" TEXT, "trace_id" TEXT, "alias" TEXT,
  "cached" BOOLEAN, "canary" BOOLEAN, "has_tool_calls" BOOLEAN, "cost_nano" BIGINT
) RETURNS BIGINT[] LANGUAGE SQL IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_remove(ARRAY[
    hashtextextended(served_model, uuid_hash_extended(workspace_id, 1)),
    hashtextextended(tag, uuid_hash_extended(workspace_id, 2)),
    hashtextextended(segment, uuid_hash_extended(workspace_id, 3)),
    hashtextextended(finish_reason, uuid_hash_extended(workspace_id, 4)),
    hashtextextended(trace_id, uuid_hash_extended(workspace_id, 5)),
    hashtextextended(alias, uuid_hash_extended(workspace_id, 6)),
    uuid_hash_extended(workspace_id, CASE WHEN cached THEN 10 WHEN NOT cached THEN 11 END),
    uuid_hash_extended(workspace_id, CASE WHEN canary THEN 12 WHEN NOT canary THEN 13 END),
    uuid_hash_extended(workspace_id, CASE WHEN has_tool_calls THEN 14 WHEN NOT has_tool_calls THEN 15 END),
    uuid_hash_extended(workspace_id, CASE WHEN trace_id IS NOT NULL THEN 16 END),
    uuid_hash_extended(workspace_id, 1000 + public.exchange_cost_step(cost_nano))
  ], NULL)
$$;

-- Hashes do not compress. In a long row, they are moved out of line first.
ALTER TABLE "exchange" ADD COLUMN "words" BIGINT[] NOT NULL DEFAULT '{}';
ALTER TABLE "exchange" ALTER COLUMN "words" SET STORAGE EXTERNAL;

-- One plan is used for all values. If all exchanges of a day have one model or one trace, the planner would expect
-- every other value to be as frequent, and scan the day instead of the index.
CREATE FUNCTION "prepare_exchange_partition"("part" TEXT) RETURNS VOID LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I SET (toast_tuple_target = 1024)', part);
  EXECUTE format('ALTER TABLE %I
    ALTER COLUMN trace_id SET (n_distinct = -0.1), ALTER COLUMN served_model SET (n_distinct = 100),
    ALTER COLUMN tag SET (n_distinct = 100), ALTER COLUMN segment SET (n_distinct = 100),
    ALTER COLUMN alias SET (n_distinct = 100), ALTER COLUMN finish_reason SET (n_distinct = 100)', part);
END
$$;
REVOKE ALL ON FUNCTION "prepare_exchange_partition"(TEXT) FROM PUBLIC;

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
END
$$;

DROP INDEX "exchange_content_words_idx";
DROP INDEX "exchange_variant_idx";
DROP INDEX "exchange_trace_idx";
DROP INDEX "exchange_steps_idx";
DROP FUNCTION "exchange_words"(TEXT, TEXT);

DO $$
DECLARE
  part RECORD;
BEGIN
  FOR part IN SELECT c.relname, right(c.relname, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'exchange'::regclass LOOP
    PERFORM prepare_exchange_partition(part.relname);
    EXECUTE format('UPDATE %I e SET words = exchange_words(e.workspace_id, c.messages, c.response) FROM %I c WHERE c.id = e.id', part.relname, 'exchange_content_' || part.day);
  END LOOP;
END
$$;

CREATE INDEX "exchange_search_idx" ON "exchange" USING GIN ("exchange_facets"(
  "workspace_id", "served_model", "tag", "segment", "finish_reason", "trace_id", "alias", "cached", "canary", "has_tool_calls", "cost_nano"
), "words");
CREATE INDEX "exchange_trace_idx" ON "exchange"("workspace_id", "trace_id", "created_at" DESC, "id" DESC) INCLUDE ("expires_at") WHERE "trace_id" IS NOT NULL;
