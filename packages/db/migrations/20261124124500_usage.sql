-- What charges were for: by key, tag and alias, with their tokens. Charges of earlier releases have none of it.

ALTER TABLE "billing_request"
  ADD COLUMN "key_id" UUID,
  ADD COLUMN "tag" TEXT,
  ADD COLUMN "alias" TEXT,
  ADD COLUMN "prompt_tokens" INTEGER,
  ADD COLUMN "completion_tokens" INTEGER;

ALTER TABLE "charge"
  ADD COLUMN "key_id" UUID,
  ADD COLUMN "tag" TEXT,
  ADD COLUMN "alias" TEXT,
  ADD COLUMN "prompt_tokens" INTEGER,
  ADD COLUMN "completion_tokens" INTEGER;

-- Sums of charges by hour, written by the statements that enter the charges in the ledger, in the same transaction and at
-- the same time. So the sums of an hour equal the usage entries of the ledger in that hour, by whatever they are grouped.
-- A zero key id, an empty tag and an empty alias mean none. A correction may make a sum negative.
CREATE TABLE "usage_hour" (
  "wallet_id" UUID NOT NULL,
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "kind" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "key_id" UUID NOT NULL,
  "tag" TEXT NOT NULL,
  "alias" TEXT NOT NULL,
  "requests" BIGINT NOT NULL,
  "prompt_tokens" BIGINT NOT NULL,
  "completion_tokens" BIGINT NOT NULL,
  "cost" BIGINT NOT NULL,
  CONSTRAINT "usage_hour_pkey" PRIMARY KEY ("wallet_id", "hour", "kind", "model", "key_id", "tag", "alias")
) WITH (fillfactor = 70);

GRANT SELECT, INSERT, UPDATE ON "usage_hour" TO ratchet_inference;

-- Pages of the ledger of one wallet, newest first, and its sums over a period.
CREATE INDEX "ledger_entry_wallet_idx" ON "ledger_entry"("wallet_id", "at", "id") INCLUDE ("amount", "reason")
  WHERE "account" = 'wallet';
