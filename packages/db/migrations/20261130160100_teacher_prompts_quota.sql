-- In the order in which they are changed, so that a migration beside running services waits and is tried again.
LOCK TABLE "stored_bytes", "distill_prompt" IN SHARE ROW EXCLUSIVE MODE;

-- Prompts that wait for the answers of a teacher count until they are forgotten, as those that runs and rounds copy.
CREATE TRIGGER "teacher_prompt_bytes_counted" AFTER INSERT ON "distill_prompt" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();
CREATE TRIGGER "teacher_prompt_bytes_given_back" AFTER DELETE ON "distill_prompt" REFERENCING OLD TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_copied_bytes"();

INSERT INTO "stored_bytes" AS s
  SELECT "workspace_id", 'infinity', sum(octet_length(t::text)) FROM "distill_prompt" t GROUP BY "workspace_id"
  ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = s."bytes" + excluded."bytes";
