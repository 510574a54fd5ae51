-- What an eval proves: how often its prompts were used before, and how long the compared answers are.

-- Identifies a prompt in the evals of its workspace, after its text was deleted too. Null for prompts that were deleted
-- before this column existed.
ALTER TABLE "eval_sample" ADD COLUMN "prompt_hash" TEXT;
UPDATE "eval_sample" SET "prompt_hash" = encode(sha256(convert_to("workspace_id"::text || "prompt", 'UTF8')), 'hex')
  WHERE "prompt" IS NOT NULL;
CREATE INDEX "eval_sample_prompt_idx" ON "eval_sample"("workspace_id", "prompt_hash") WHERE "prompt_hash" IS NOT NULL;

-- Characters of an answer as the judge gets it; null without an answer.
ALTER TABLE "eval_answer" ADD COLUMN "text_length" INTEGER;
