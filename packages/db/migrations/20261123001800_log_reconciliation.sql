-- A charge names the row that the log will get for its exchange, so that a row that never arrives is noticed.
ALTER TABLE "billing_request" ADD COLUMN "log_request_id" UUID, ADD COLUMN "log_expires_on" DATE;
ALTER TABLE "billing_request" ADD CONSTRAINT "billing_request_log_check" CHECK (("log_request_id" IS NULL) = ("log_expires_on" IS NULL));

-- Up to which entry of the ledger the log was compared with it. It has one row.
CREATE TABLE "log_reconciliation" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "last_entry" BIGINT NOT NULL,
  CONSTRAINT "log_reconciliation_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "log_reconciliation_only_check" CHECK ("id" = 1)
);
INSERT INTO "log_reconciliation" ("last_entry") SELECT coalesce(max("id"), 0) FROM "ledger_entry";

GRANT SELECT, UPDATE ON "log_reconciliation" TO ratchet_logging;
GRANT SELECT ("id", "request_id", "account", "at") ON "ledger_entry" TO ratchet_logging;
GRANT SELECT ("request_id", "wallet_id", "log_request_id", "log_expires_on") ON "billing_request" TO ratchet_logging;
