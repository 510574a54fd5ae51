-- Stored responses and the snapshots of grades count as stored bytes, as files and datasets do: they cost a workspace
-- nothing. The bytes of one statement are counted together, by the order of the workspaces, so that two sweeps never wait
-- for each other. SECURITY DEFINER, because those who store them have no right to the counts; and nobody waits for long on
-- the count of a workspace, because others use the same connections.
CREATE FUNCTION "count_response_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public SET lock_timeout = '1s' AS $$
DECLARE
  changed RECORD;
  direction INTEGER := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  FOR changed IN SELECT "workspace_id" AS workspace, sum("size_bytes")::bigint AS bytes FROM "changed_rows" GROUP BY 1 ORDER BY 1 LOOP
    PERFORM "count_stored_bytes"(changed.workspace, 'infinity', direction * changed.bytes);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER "response_bytes_counted" AFTER INSERT ON "stored_response" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_response_bytes"();
CREATE TRIGGER "response_bytes_given_back" AFTER DELETE ON "stored_response" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_response_bytes"();

CREATE FUNCTION "count_snapshot_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  changed RECORD;
  direction INTEGER := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  FOR changed IN
    SELECT "workspace_id" AS workspace,
      sum(octet_length("messages") + octet_length("response") + coalesce(octet_length("tools"), 0))::bigint AS bytes
    FROM "changed_rows" GROUP BY 1 ORDER BY 1
  LOOP
    PERFORM "count_stored_bytes"(changed.workspace, 'infinity', direction * changed.bytes);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER "snapshot_bytes_counted" AFTER INSERT ON "label_snapshot" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_snapshot_bytes"();
CREATE TRIGGER "snapshot_bytes_given_back" AFTER DELETE ON "label_snapshot" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_snapshot_bytes"();

INSERT INTO "stored_bytes" AS s
  SELECT "workspace_id", 'infinity', sum("bytes") FROM (
    SELECT "workspace_id", "size_bytes"::bigint AS bytes FROM "stored_response"
    UNION ALL
    SELECT "workspace_id", (octet_length("messages") + octet_length("response") + coalesce(octet_length("tools"), 0))::bigint
    FROM "label_snapshot"
  ) AS stored GROUP BY "workspace_id"
  ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = s."bytes" + excluded."bytes";

-- Answers that cost nothing and are recorded for idempotency keys, until the day on which the last of them is deleted. A
-- table of its own: a workspace with many of them can still store files, and no statement waits for those of another
-- service.
CREATE TABLE "free_answer_bytes" (
  "workspace_id" UUID NOT NULL,
  "expires_on" DATE NOT NULL,
  "bytes" BIGINT NOT NULL,
  CONSTRAINT "free_answer_bytes_pkey" PRIMARY KEY ("workspace_id", "expires_on")
);
CREATE INDEX "free_answer_bytes_expires_on_idx" ON "free_answer_bytes"("expires_on");
GRANT SELECT, INSERT, UPDATE, DELETE ON "free_answer_bytes" TO ratchet_inference;
