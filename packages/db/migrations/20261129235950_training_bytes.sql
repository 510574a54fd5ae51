-- In the order in which they are changed, so that a migration beside running services waits and is tried again.
LOCK TABLE "stored_bytes", "artifact_reference" IN SHARE ROW EXCLUSIVE MODE;

-- The examples that a fine-tuning job copies into the artifact store count as stored bytes until they are given up, as files
-- and datasets do: a job that is cancelled costs a workspace nothing. Checkpoints do not count, because they were paid for.
-- SECURITY DEFINER, because the training service has no right to the counts.
CREATE FUNCTION "count_example_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  changed RECORD;
  direction INTEGER := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  FOR changed IN
    SELECT c."workspace_id" AS workspace, sum(a."bytes")::bigint AS bytes
    FROM "changed_rows" c JOIN "training_job" j ON j."id" = c."holder" JOIN "artifact" a ON a."sha256" = c."sha256"
    GROUP BY 1 ORDER BY 1
  LOOP
    PERFORM "count_stored_bytes"(changed.workspace, 'infinity', direction * changed.bytes);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER "example_bytes_counted" AFTER INSERT ON "artifact_reference" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_example_bytes"();
CREATE TRIGGER "example_bytes_given_back" AFTER DELETE ON "artifact_reference" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_example_bytes"();

INSERT INTO "stored_bytes" AS s
  SELECT r."workspace_id", 'infinity', sum(a."bytes")
  FROM "artifact_reference" r JOIN "training_job" j ON j."id" = r."holder" JOIN "artifact" a ON a."sha256" = r."sha256"
  GROUP BY r."workspace_id"
  ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = s."bytes" + excluded."bytes";
