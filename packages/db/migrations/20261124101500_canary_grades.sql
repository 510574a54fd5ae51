-- Grades of people prove a canary only when the answers were drawn at random, and findings may concern one segment.
ALTER TABLE "canary_sample"
  ADD COLUMN "segment" TEXT,
  -- Probability with which the graded answer was drawn; null for an answer that a person picked.
  ADD COLUMN "grade_probability" DOUBLE PRECISION;
