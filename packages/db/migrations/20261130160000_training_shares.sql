-- In the order in which they are changed, so that a migration beside running services waits and is tried again.
LOCK TABLE "stored_bytes", "artifact_reference", "environment_tool_version", "tool_recording", "grpo_prompt", "raft_prompt"
  IN SHARE ROW EXCLUSIVE MODE;

-- Everything in the artifact store but checkpoints was stored free of charge: adapters that a workspace imports count too.
CREATE OR REPLACE FUNCTION "count_example_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  changed RECORD;
  direction INTEGER := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  FOR changed IN
    SELECT c."workspace_id" AS workspace, sum(a."bytes")::bigint AS bytes
    FROM "changed_rows" c JOIN "artifact" a ON a."sha256" = c."sha256"
    WHERE NOT EXISTS (SELECT FROM "checkpoint" k WHERE k."id" = c."holder")
    GROUP BY 1 ORDER BY 1
  LOOP
    PERFORM "count_stored_bytes"(changed.workspace, 'infinity', direction * changed.bytes);
  END LOOP;
  RETURN NULL;
END
$$;

-- Texts that tools, runs and rounds copy count until they are deleted: a run that is cancelled costs a workspace nothing.
CREATE FUNCTION "count_copied_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  changed RECORD;
  direction INTEGER := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  FOR changed IN
    SELECT c."workspace_id" AS workspace, sum(octet_length(c::text))::bigint AS bytes
    FROM "changed_rows" c GROUP BY 1 ORDER BY 1
  LOOP
    PERFORM "count_stored_bytes"(changed.workspace, 'infinity', direction * changed.bytes);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER "tool_bytes_counted" AFTER INSERT ON "environment_tool_version" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "tool_bytes_given_back" AFTER DELETE ON "environment_tool_version" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "recording_bytes_counted" AFTER INSERT ON "tool_recording" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "recording_bytes_given_back" AFTER DELETE ON "tool_recording" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "run_prompt_bytes_counted" AFTER INSERT ON "grpo_prompt" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "run_prompt_bytes_given_back" AFTER DELETE ON "grpo_prompt" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "round_prompt_bytes_counted" AFTER INSERT ON "raft_prompt" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "round_prompt_bytes_given_back" AFTER DELETE ON "raft_prompt" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();

INSERT INTO "stored_bytes" AS s
  SELECT "workspace_id", 'infinity', sum("bytes") FROM (
    SELECT t."workspace_id", octet_length(t::text)::bigint AS bytes FROM "environment_tool_version" t
    UNION ALL SELECT t."workspace_id", octet_length(t::text) FROM "tool_recording" t
    UNION ALL SELECT t."workspace_id", octet_length(t::text) FROM "grpo_prompt" t
    UNION ALL SELECT t."workspace_id", octet_length(t::text) FROM "raft_prompt" t
    UNION ALL SELECT r."workspace_id", a."bytes"
      FROM "artifact_reference" r JOIN "artifact" a ON a."sha256" = r."sha256"
      WHERE NOT EXISTS (SELECT FROM "checkpoint" k WHERE k."id" = r."holder")
        AND NOT EXISTS (SELECT FROM "training_job" j WHERE j."id" = r."holder")
  ) AS stored GROUP BY "workspace_id"
  ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = s."bytes" + excluded."bytes";

-- Bytes of all checkpoints that a trainer has begun in an attempt. Each can be uploaded, also one that is begun again.
ALTER TABLE "training_attempt" ADD COLUMN "announced_bytes" BIGINT NOT NULL DEFAULT 0;
