ALTER TYPE "judge_run_kind" ADD VALUE 'cascade_calibration';
ALTER TYPE "judge_run_kind" ADD VALUE 'cascade_scan';
ALTER TYPE "judgement_source" ADD VALUE 'cascade';

-- Two or three judges of one question, the cheapest first. Its calibrations and scans are runs of its last judge.
CREATE TABLE "cascade" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "criterion_ids" UUID[] NOT NULL,
  -- How many verdicts each judge gives on an item.
  "verdict_counts" INTEGER[] NOT NULL,
  "agreement" DOUBLE PRECISION NOT NULL,
  "confidence" DOUBLE PRECISION NOT NULL,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "cascade_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "cascade_members_check"
    CHECK (cardinality("criterion_ids") BETWEEN 2 AND 3 AND cardinality("criterion_ids") = cardinality("verdict_counts"))
);
CREATE INDEX "cascade_workspace_idx" ON "cascade"("workspace_id", "created_at" DESC);

GRANT SELECT, INSERT, DELETE ON "cascade" TO ratchet_judging;
