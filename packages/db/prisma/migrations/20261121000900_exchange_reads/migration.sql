-- What lists of the log walk and count: for each filter the rows that it names, the newest first, and when they expire.

DROP INDEX "exchange_newest_idx";
DROP INDEX "exchange_segment_idx";
DROP INDEX "exchange_tag_idx";
CREATE INDEX "exchange_newest_idx" ON "exchange"("workspace_id", "created_at" DESC, "id" DESC) INCLUDE ("expires_at");
CREATE INDEX "exchange_segment_idx" ON "exchange"("workspace_id", "segment", "created_at" DESC, "id" DESC) INCLUDE ("expires_at");
CREATE INDEX "exchange_tag_idx" ON "exchange"("workspace_id", "tag", "created_at" DESC, "id" DESC) INCLUDE ("expires_at") WHERE "tag" IS NOT NULL;
CREATE INDEX "exchange_model_idx" ON "exchange"("workspace_id", "served_model", "created_at" DESC, "id" DESC) INCLUDE ("expires_at");
CREATE INDEX "exchange_finish_idx" ON "exchange"("workspace_id", "finish_reason", "created_at" DESC, "id" DESC) INCLUDE ("expires_at");
CREATE INDEX "exchange_alias_idx" ON "exchange"("workspace_id", "alias", "created_at" DESC, "id" DESC) INCLUDE ("expires_at") WHERE "alias" IS NOT NULL;
CREATE INDEX "exchange_cached_idx" ON "exchange"("workspace_id", "created_at" DESC, "id" DESC) INCLUDE ("expires_at") WHERE "cached";
CREATE INDEX "exchange_canary_idx" ON "exchange"("workspace_id", "created_at" DESC, "id" DESC) INCLUDE ("expires_at") WHERE "canary";
CREATE INDEX "exchange_tools_idx" ON "exchange"("workspace_id", "created_at" DESC, "id" DESC) INCLUDE ("expires_at", "finish_reason") WHERE "has_tool_calls";
CREATE INDEX "exchange_cost_idx" ON "exchange"("workspace_id", "cost_nano") INCLUDE ("expires_at", "created_at");
-- By id alone: the day of its expiry is not in an entry's id.
CREATE INDEX "exchange_id_idx" ON "exchange"("id");
-- The newest traces, and the variants of segments.
CREATE INDEX "exchange_steps_idx" ON "exchange"("workspace_id", "created_at" DESC, "id" DESC) INCLUDE ("expires_at", "trace_id") WHERE "trace_id" IS NOT NULL;
CREATE INDEX "exchange_variant_idx" ON "exchange"("workspace_id", "segment", "segment_exact") INCLUDE ("expires_at", "created_at");

-- The words of an exchange. JSON's escapes would stick to the word behind them; beyond 50,000 characters on either side
-- nothing is found, which keeps the largest and strangest content well below what a tsvector may hold. Not in SQL, which
-- would be inlined and lose what it costs: finding words without the index is never worth it.
CREATE FUNCTION "exchange_words"("messages" TEXT, "response" TEXT) RETURNS TSVECTOR LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN to_tsvector('pg_catalog.simple'::regconfig,
    replace(replace(replace(left(messages, 50000) || ' ' || left(response, 50000), '\n', ' '), '\t', ' '), '\"', ' '));
END
$$;
CREATE INDEX "exchange_content_words_idx" ON "exchange_content" USING GIN ("exchange_words"("messages", "response"));
