-- In the order in which they are written, so that a migration beside running services waits and is tried again.
LOCK TABLE "stored_bytes", "agent_version", "call" IN SHARE ROW EXCLUSIVE MODE;

-- Versions of agents are only ever added to, and cost nothing.
CREATE TRIGGER "agent_version_bytes_counted" AFTER INSERT ON "agent_version" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_row_bytes"();

-- Bytes of what a call has stored, as they count: those of its row from the beginning, with its turns and events from its end on,
-- and none once they were deleted.
ALTER TABLE "call" ADD COLUMN "text_bytes" BIGINT NOT NULL DEFAULT 0;

-- A workspace whose quota is used up begins no call. One under way is written down to its end: how much a caller can say and
-- write in its time is bounded.
CREATE FUNCTION "count_call_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  before BIGINT := 0;
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW."text_bytes" := octet_length(NEW."variables"::text) + octet_length(NEW."metadata"::text)
      + octet_length(NEW."overrides"::text);
    PERFORM "count_stored_bytes"(NEW."workspace_id", 'infinity', NEW."text_bytes");
    RETURN NEW;
  END IF;
  before := OLD."text_bytes";
  IF NEW."erased_at" IS NOT NULL THEN
    NEW."text_bytes" := 0;
  ELSE
    NEW."text_bytes" := OLD."text_bytes"
      + (SELECT coalesce(sum(octet_length(t."text") + octet_length(coalesce(t."tool"::text, ''))), 0) FROM "call_turn" t
          WHERE t."call_id" = NEW."id")
      + (SELECT coalesce(sum(octet_length(e."body"::text)), 0) FROM "call_event" e WHERE e."call_id" = NEW."id");
  END IF;
  INSERT INTO "stored_bytes" AS s VALUES (NEW."workspace_id", 'infinity', greatest(0, NEW."text_bytes" - before))
    ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = greatest(0, s."bytes" + NEW."text_bytes" - before);
  RETURN NEW;
END
$$;
CREATE TRIGGER "call_bytes_begun" BEFORE INSERT ON "call" FOR EACH ROW EXECUTE FUNCTION "count_call_bytes"();
CREATE TRIGGER "call_bytes_counted" BEFORE UPDATE ON "call" FOR EACH ROW
  WHEN (OLD."ended_at" IS NULL AND NEW."ended_at" IS NOT NULL) EXECUTE FUNCTION "count_call_bytes"();
CREATE TRIGGER "call_bytes_given_back" BEFORE UPDATE ON "call" FOR EACH ROW
  WHEN (OLD."erased_at" IS NULL AND NEW."erased_at" IS NOT NULL) EXECUTE FUNCTION "count_call_bytes"();

INSERT INTO "stored_bytes" AS s
  SELECT v."workspace_id", 'infinity', sum(octet_length(column_of.value))::bigint
  FROM "agent_version" v, jsonb_each_text(to_jsonb(v)) AS column_of GROUP BY v."workspace_id"
  ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = s."bytes" + excluded."bytes";
