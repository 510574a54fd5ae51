-- First answers to requests with an Idempotency-Key, of the training service.

CREATE TABLE "training_answer" (
  "workspace_id" UUID NOT NULL,
  "id" UUID NOT NULL,
  "digest" TEXT,
  "answer" TEXT,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "claim" UUID,
  CONSTRAINT "training_answer_pkey" PRIMARY KEY ("workspace_id", "id")
);
CREATE INDEX "training_answer_expires_at_idx" ON "training_answer"("expires_at");
GRANT SELECT, INSERT, UPDATE, DELETE ON "training_answer" TO ratchet_training;
