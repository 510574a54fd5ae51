-- What users of an application thought of an answer: never a grade. It is about one exchange or one trace of the log, and
-- expires with it. logged_at is from when the retention of the exchange counts, so that a shortened one applies here too.
CREATE TABLE "feedback" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "log_id" UUID,
  "trace_id" TEXT,
  "rating" TEXT,
  "score" DOUBLE PRECISION,
  "comment" TEXT,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "logged_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "feedback_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "feedback_one_target" CHECK (("log_id" IS NULL) <> ("trace_id" IS NULL))
);
CREATE INDEX "feedback_workspace_id_log_id_idx" ON "feedback"("workspace_id", "log_id");
CREATE INDEX "feedback_workspace_id_trace_id_idx" ON "feedback"("workspace_id", "trace_id");
CREATE INDEX "feedback_expires_at_idx" ON "feedback"("expires_at");
GRANT SELECT, INSERT, UPDATE, DELETE ON "feedback" TO ratchet_logging;
