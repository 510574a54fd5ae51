-- The exchanges from which people grade for a judge. The list never changes, so estimates from grades are about it.
CREATE TABLE "grading_frame" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  -- `random`: drawn from all traffic of the population. `judged`: exchanges that the judge judged, with its verdicts.
  "kind" TEXT NOT NULL,
  "instrument" INTEGER NOT NULL,
  -- Counts the frames of a judge and kind, so that two processes do not draw the same one.
  "ordinal" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "grading_frame_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "grading_frame_criterion_id_fkey" FOREIGN KEY ("criterion_id") REFERENCES "criterion"("id") ON DELETE CASCADE,
  CONSTRAINT "grading_frame_kind_check" CHECK ("kind" IN ('random', 'judged'))
);
CREATE UNIQUE INDEX "grading_frame_ordinal_key" ON "grading_frame"("criterion_id", "kind", "ordinal");

CREATE TABLE "grading_frame_item" (
  "frame_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "log_id" UUID NOT NULL,
  "stratum" TEXT NOT NULL,
  -- When the random order of its stratum reached it. A grade of it counts for the frame from then on.
  "offered_at" TIMESTAMPTZ(3),
  -- When it was found to be missing in the log.
  "missing_at" TIMESTAMPTZ(3),
  CONSTRAINT "grading_frame_item_pkey" PRIMARY KEY ("frame_id", "log_id"),
  CONSTRAINT "grading_frame_item_frame_id_fkey" FOREIGN KEY ("frame_id") REFERENCES "grading_frame"("id") ON DELETE CASCADE
);
CREATE INDEX "grading_frame_item_log_idx" ON "grading_frame_item"("log_id") WHERE "offered_at" IS NOT NULL;

GRANT SELECT, INSERT ON "grading_frame" TO ratchet_judging;
GRANT SELECT, INSERT ON "grading_frame_item" TO ratchet_judging;
GRANT UPDATE ("offered_at", "missing_at") ON "grading_frame_item" TO ratchet_judging;
