-- What changed when a judge is flagged; null while that is not known.
CREATE TYPE "drift_cause" AS ENUM ('judge', 'traffic');
ALTER TABLE "criterion" ADD COLUMN "drift_cause" "drift_cause",
  -- Live verdicts after the first day, and before the second, are what later ones are compared with.
  ADD COLUMN "drift_reference_from" TIMESTAMPTZ(3),
  ADD COLUMN "drift_reference_until" TIMESTAMPTZ(3),
  ADD COLUMN "drift_flagged_at" TIMESTAMPTZ(3);

-- Live verdicts of a judge by UTC day. The verdicts themselves are deleted with their exchanges.
CREATE TABLE "drift_day" (
  "criterion_id" UUID NOT NULL,
  "instrument" INTEGER NOT NULL,
  -- The beginning of the day.
  "day" TIMESTAMPTZ(3) NOT NULL,
  "judged" INTEGER NOT NULL,
  "judged_fails" INTEGER NOT NULL,
  CONSTRAINT "drift_day_pkey" PRIMARY KEY ("criterion_id", "instrument", "day"),
  CONSTRAINT "drift_day_criterion_id_fkey" FOREIGN KEY ("criterion_id") REFERENCES "criterion"("id") ON DELETE CASCADE,
  CONSTRAINT "drift_day_count_check" CHECK ("judged_fails" BETWEEN 0 AND "judged")
);
GRANT SELECT, INSERT, DELETE ON "drift_day" TO ratchet_judging;
