-- Idempotency keys of inference requests, and the answers that are replayed under them.

CREATE TYPE "idempotency_state" AS ENUM ('running', 'answered');

-- No foreign key to workspace: the check would cost every request a read and a lock, and rows expire within a day.
CREATE TABLE "idempotency_record" (
  "workspace_id" UUID NOT NULL,
  "key_hash" BYTEA NOT NULL,
  "fingerprint" BYTEA NOT NULL,
  "state" "idempotency_state" NOT NULL,
  "generation" BIGINT NOT NULL,
  "lease_until" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "status" INTEGER,
  "dialect" TEXT,
  "served_model" TEXT,
  "headers" JSONB,
  "body" BYTEA,
  "cost" BIGINT,
  CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("workspace_id", "key_hash"),
  CONSTRAINT "idempotency_record_hash_check" CHECK (octet_length("key_hash") = 32 AND octet_length("fingerprint") = 32),
  CONSTRAINT "idempotency_record_cost_check" CHECK ("cost" >= 0),
  CONSTRAINT "idempotency_record_body_check" CHECK (octet_length("body") <= 10485760),
  CONSTRAINT "idempotency_record_answer_check" CHECK (
    num_nonnulls("status", "dialect", "served_model", "headers", "body", "cost") = CASE WHEN "state" = 'answered' THEN 6 ELSE 0 END
  )
);

CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

GRANT SELECT, INSERT, UPDATE, DELETE ON "idempotency_record" TO ratchet_inference;
