-- Which answer of a sample people prefer. Rows are only added: the eval service may not change or delete them.
CREATE TABLE "eval_preference" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "run_id" UUID NOT NULL,
  "sample_id" UUID NOT NULL,
  -- From 1, as in eval_look.
  "candidate_index" SMALLINT NOT NULL,
  "preference" TEXT NOT NULL,
  "grader" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "eval_preference_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "eval_preference_sample_id_fkey" FOREIGN KEY ("sample_id") REFERENCES "eval_sample"("id") ON DELETE CASCADE,
  CONSTRAINT "eval_preference_value_check" CHECK ("preference" IN ('baseline', 'candidate', 'tie'))
);
CREATE INDEX "eval_preference_run_idx" ON "eval_preference"("run_id", "created_at" DESC);
CREATE INDEX "eval_preference_sample_idx" ON "eval_preference"("sample_id");
GRANT SELECT, INSERT ON "eval_preference" TO ratchet_eval;
