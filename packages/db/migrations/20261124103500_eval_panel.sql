-- Verdicts of the second and third judge of a panel. Those of the first are in eval_look, to which the previous release writes
-- with a key that has no judge.
CREATE TABLE "eval_panel_verdict" (
  "sample_id" UUID NOT NULL,
  "judge_index" SMALLINT NOT NULL,
  "candidate_index" SMALLINT NOT NULL,
  "swapped" BOOLEAN NOT NULL,
  "run_id" UUID NOT NULL,
  "preference" TEXT,
  "failure" TEXT,
  "explanation" TEXT,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "eval_panel_verdict_pkey" PRIMARY KEY ("sample_id", "judge_index", "candidate_index", "swapped"),
  CONSTRAINT "eval_panel_verdict_sample_id_fkey" FOREIGN KEY ("sample_id") REFERENCES "eval_sample"("id") ON DELETE CASCADE,
  CONSTRAINT "eval_panel_verdict_outcome_check" CHECK (("preference" IS NULL) <> ("failure" IS NULL)),
  CONSTRAINT "eval_panel_verdict_judge_check" CHECK ("judge_index" > 0)
);
CREATE INDEX "eval_panel_verdict_run_idx" ON "eval_panel_verdict"("run_id");
GRANT SELECT, INSERT, UPDATE ON "eval_panel_verdict" TO ratchet_eval;

-- Whether the judges of a panel differ about the outcome for a candidate.
ALTER TABLE "eval_sample" ADD COLUMN "disputed" BOOLEAN NOT NULL DEFAULT false;
