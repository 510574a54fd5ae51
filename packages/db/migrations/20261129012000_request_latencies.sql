-- How long answers of models took, by hour and bucket, so that quantiles of any hours can be computed. A bucket ends 5 % above
-- the one before. Nothing else is told apart: a workspace stores at most 401 rows in an hour.
CREATE TABLE "request_latency_hour" (
  "workspace_id" UUID NOT NULL,
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "bucket" SMALLINT NOT NULL,
  "count" BIGINT NOT NULL,
  CONSTRAINT "request_latency_hour_pkey" PRIMARY KEY ("workspace_id", "hour", "bucket")
) WITH (fillfactor = 70);
CREATE INDEX "request_latency_hour_hour_idx" ON "request_latency_hour"("hour");

GRANT SELECT, INSERT, UPDATE, DELETE ON "request_latency_hour" TO ratchet_inference;
