-- The answer to the first request with an Idempotency-Key, for a day. While the request runs it has no answer, and
-- expires_at is when another request may take the key over. One table for each service that answers.
CREATE TABLE "judging_answer" (
  "workspace_id" UUID NOT NULL,
  "id" UUID NOT NULL,
  "digest" TEXT,
  "answer" TEXT,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "judging_answer_pkey" PRIMARY KEY ("workspace_id", "id")
);
CREATE INDEX "judging_answer_expires_at_idx" ON "judging_answer"("expires_at");
GRANT SELECT, INSERT, UPDATE, DELETE ON "judging_answer" TO ratchet_judging;

CREATE TABLE "logging_answer" (
  "workspace_id" UUID NOT NULL,
  "id" UUID NOT NULL,
  "digest" TEXT,
  "answer" TEXT,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "logging_answer_pkey" PRIMARY KEY ("workspace_id", "id")
);
CREATE INDEX "logging_answer_expires_at_idx" ON "logging_answer"("expires_at");
GRANT SELECT, INSERT, UPDATE, DELETE ON "logging_answer" TO ratchet_logging;
