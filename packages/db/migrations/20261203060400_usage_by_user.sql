-- What charges were for, by end user. The ledger has a number for each of them, and their names are in a table of the main database
-- from which they can be erased: charges never change.
ALTER TABLE "billing_request" ADD COLUMN "end_user_id" UUID;
ALTER TABLE "charge" ADD COLUMN "end_user_id" UUID;

-- Sums of charges with an end user, by hour, written as `usage_hour` is. A zero key id means none.
CREATE TABLE "usage_user_hour" (
  "wallet_id" UUID NOT NULL,
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "end_user_id" UUID NOT NULL,
  "key_id" UUID NOT NULL,
  "model" TEXT NOT NULL,
  "requests" BIGINT NOT NULL,
  "prompt_tokens" BIGINT NOT NULL,
  "completion_tokens" BIGINT NOT NULL,
  "cost" BIGINT NOT NULL,
  CONSTRAINT "usage_user_hour_pkey" PRIMARY KEY ("wallet_id", "hour", "end_user_id", "key_id", "model")
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON "usage_user_hour" TO ratchet_inference;

CREATE TABLE "end_user" (
  "workspace_id" UUID NOT NULL,
  "id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "end_user_pkey" PRIMARY KEY ("workspace_id", "id"),
  CONSTRAINT "end_user_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
GRANT SELECT, INSERT ON "end_user" TO ratchet_inference;
GRANT SELECT, DELETE ON "end_user" TO ratchet_dashboard;
