-- What `next_to_grade` of a gate handed out. A grade counts as drawn by this record only, not by what its sender states.
ALTER TABLE "canary_sample"
  -- Largest probability with which the answer was drawn; null for one that was never handed out.
  ADD COLUMN "draw_probability" DOUBLE PRECISION;
