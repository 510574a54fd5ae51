-- The audits of judges and aliases are only ever added to, and changes cost nothing: a workspace may add so many bytes to them
-- in a day. Bytes of all columns, by the hour of the events.
CREATE TABLE "audit_bytes" (
  "workspace_id" UUID NOT NULL,
  "hour" TIMESTAMPTZ NOT NULL,
  "bytes" BIGINT NOT NULL,
  CONSTRAINT "audit_bytes_pkey" PRIMARY KEY ("workspace_id", "hour")
);

-- Counts an event in the statement that adds it, and fails with RL001 where a person changes more than the share of the
-- workspace; the detail is the number of seconds until there is room. The row of the hour is locked, so that concurrent
-- events of a workspace are counted one after the other. What takes something back is never refused, because it needs a change
-- that was not; nor is what a gate does, because it protects users. SECURITY DEFINER, because those who change something have no
-- right to the counts.
CREATE FUNCTION "count_audit_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  share CONSTANT BIGINT := 20 * 1048576;
  -- The hour in which an event happened counts until 24 hours after its end.
  kept CONSTANT INTERVAL := '25 hours';
  this_hour TIMESTAMPTZ := date_trunc('hour', NEW."created_at", 'UTC');
  added BIGINT := (SELECT sum(octet_length(value)) FROM jsonb_each_text(to_jsonb(NEW)));
  used BIGINT;
  waits NUMERIC;
BEGIN
  INSERT INTO "audit_bytes" AS a VALUES (NEW."workspace_id", this_hour, added)
    ON CONFLICT ("workspace_id", "hour") DO UPDATE SET "bytes" = a."bytes" + excluded."bytes";
  DELETE FROM "audit_bytes" a WHERE a."workspace_id" = NEW."workspace_id" AND a."hour" <= NEW."created_at" - kept;
  SELECT sum(a."bytes") INTO used FROM "audit_bytes" a WHERE a."workspace_id" = NEW."workspace_id";
  IF used > share AND NEW."user_id" IS NOT NULL AND NEW."kind"::text NOT IN ('delete', 'rollback') THEN
    SELECT min(extract(epoch FROM freed."hour" + kept - NEW."created_at")) INTO waits FROM (
      SELECT a."hour", sum(a."bytes") OVER (ORDER BY a."hour") AS bytes FROM "audit_bytes" a
      WHERE a."workspace_id" = NEW."workspace_id"
    ) AS freed WHERE freed.bytes >= used - share;
    RAISE EXCEPTION 'the workspace changes too much in a day' USING ERRCODE = 'RL001', DETAIL = ceil(waits)::text;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "criterion_event_bytes_counted" AFTER INSERT ON "criterion_event"
  FOR EACH ROW EXECUTE FUNCTION "count_audit_bytes"();
CREATE TRIGGER "alias_event_bytes_counted" AFTER INSERT ON "alias_event"
  FOR EACH ROW EXECUTE FUNCTION "count_audit_bytes"();
