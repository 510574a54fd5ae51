-- For listing and counting exchanges: one index per filter, newest first, with the expiry of each row.

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
-- For reads by id: an id does not contain its expiry day.
CREATE INDEX "exchange_id_idx" ON "exchange"("id");
-- For the newest traces and the variants of segments.
CREATE INDEX "exchange_steps_idx" ON "exchange"("workspace_id", "created_at" DESC, "id" DESC) INCLUDE ("expires_at", "trace_id") WHERE "trace_id" IS NOT NULL;
CREATE INDEX "exchange_variant_idx" ON "exchange"("workspace_id", "segment", "segment_exact") INCLUDE ("expires_at", "created_at");

-- The words of an exchange. Escapes of JSON are removed, because they would join the next word. Only 50,000 characters
-- of each side are indexed, because a tsvector has a maximum size. A function in SQL would be inlined and lose its
-- COST, which makes the planner use the index.
CREATE FUNCTION "exchange_words"("messages" TEXT, "response" TEXT) RETURNS TSVECTOR LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN to_tsvector('pg_catalog.simple'::regconfig,
    replace(replace(replace(left(messages, 50000) || ' ' || left(response, 50000), '\n', ' '), '\t', ' '), '\"', ' '));
END
$$;
CREATE INDEX "exchange_content_words_idx" ON "exchange_content" USING GIN ("exchange_words"("messages", "response"));
