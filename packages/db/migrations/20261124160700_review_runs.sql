-- Whether the person saw the last step of a run before grading it; null for exchanges.
ALTER TABLE "review_grade" ADD COLUMN "seen_all" BOOLEAN;
