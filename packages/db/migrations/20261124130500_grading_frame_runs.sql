-- Frames of a judge of runs. `log_id` of their items is derived from the trace id; it names no log entry.
ALTER TABLE "grading_frame_item" ADD COLUMN "trace_id" TEXT;
CREATE INDEX "grading_frame_item_trace_idx" ON "grading_frame_item"("trace_id")
  WHERE "offered_at" IS NOT NULL AND "trace_id" IS NOT NULL;
