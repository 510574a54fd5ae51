-- Calls of tools in a run, and bytes of what they answered: both have a maximum, because the trainer names the episodes.
ALTER TABLE "grpo_run" ADD COLUMN "tool_calls" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "tool_bytes" BIGINT NOT NULL DEFAULT 0;

UPDATE "grpo_run" r SET "tool_calls" = c.calls, "tool_bytes" = c.bytes FROM (
  SELECT "run_id", count(*) AS calls, coalesce(sum(octet_length("answer")), 0) AS bytes FROM "tool_call" GROUP BY "run_id"
) c WHERE c."run_id" = r."id";
