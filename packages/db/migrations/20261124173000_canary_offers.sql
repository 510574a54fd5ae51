-- Answers that people were offered and skipped, while they graded later ones, count against a promotion.
ALTER TABLE "canary_sample"
  -- When `next_to_grade` of the gate handed out the answer for the first time.
  ADD COLUMN "offered_at" TIMESTAMPTZ(3),
  -- Probability with which a draw of the judge handed out an answer that people skipped; null for all others.
  ADD COLUMN "skip_probability" DOUBLE PRECISION;
