-- Ledgers in databases of their own. A workspace's wallet, holds and charges are in the ledger that it names: `main` is
-- this database, others are named in LEDGER_DATABASE_URLS. See docs/adr/0035.

-- In the database of another ledger the row of a workspace has its id and its ledger only; that database refuses requests
-- of no other workspace.
ALTER TABLE "workspace"
  ADD COLUMN "ledger" TEXT NOT NULL DEFAULT 'main',
  ADD CONSTRAINT "workspace_ledger_check" CHECK ("ledger" ~ '^[a-z][a-z0-9-]{0,30}$');

CREATE TRIGGER "workspace_ledger_final" BEFORE UPDATE OF "ledger" ON "workspace"
  FOR EACH ROW WHEN (OLD."ledger" <> NEW."ledger") EXECUTE FUNCTION "refuse_change"('a workspace stays in its ledger');

CREATE VIEW "workspace_ledger" AS SELECT "id" AS "workspace_id", "ledger" FROM "workspace";
GRANT SELECT ON "workspace_ledger" TO ratchet_inference;

-- References of top-ups of all ledgers, so that one payment is credited once, in one of them. The entries of a ledger
-- repeat it for their own.
CREATE TABLE "top_up_reference" (
  "reference" TEXT NOT NULL,
  "workspace_id" UUID NOT NULL,
  "amount" BIGINT NOT NULL,
  "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "top_up_reference_pkey" PRIMARY KEY ("reference")
);
