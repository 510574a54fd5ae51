-- Wallets that are below the threshold of their alert, for the dashboard, which mails their owners.
CREATE VIEW "wallet_low" AS
  SELECT workspace_id, changed_at, available, threshold FROM wallet_alert
  WHERE is_below AND changed_at IS NOT NULL AND available IS NOT NULL;

-- One mail for each owner and each time a wallet fell below its threshold.
CREATE TABLE "wallet_notice" (
  "workspace_id" UUID NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL,
  "user_id" UUID NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "wallet_notice_pkey" PRIMARY KEY ("workspace_id", "changed_at", "user_id")
);
CREATE INDEX "wallet_notice_due_idx" ON "wallet_notice"("due_at") WHERE "sent_at" IS NULL;
GRANT SELECT ON "wallet_low" TO ratchet_dashboard;
GRANT SELECT, INSERT, UPDATE, DELETE ON "wallet_notice" TO ratchet_dashboard;
