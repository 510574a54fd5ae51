-- The ledger. Amounts are integers of nano-dollars. The checks refuse an overspend even if a service
-- has a bug.

CREATE TYPE "billing_state" AS ENUM ('open', 'posted', 'voided');
CREATE TYPE "ledger_account" AS ENUM ('wallet', 'usage', 'funding');
CREATE TYPE "ledger_reason" AS ENUM ('top_up', 'usage', 'expiry', 'late_post');

-- Half-empty pages and no index but the key keep every update of a wallet on its page (HOT).
CREATE TABLE "wallet" (
  "workspace_id" UUID NOT NULL,
  "balance" BIGINT NOT NULL DEFAULT 0,
  "held" BIGINT NOT NULL DEFAULT 0,
  "version" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "wallet_pkey" PRIMARY KEY ("workspace_id"),
  CONSTRAINT "wallet_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "wallet_held_check" CHECK ("held" >= 0),
  CONSTRAINT "wallet_balance_check" CHECK ("balance" >= "held")
) WITH (fillfactor = 50);

-- No foreign key to wallet: the hold statement inserts only for wallets it has locked, and the
-- check would cost every request one more read and lock.
CREATE TABLE "billing_request" (
  "request_id" UUID NOT NULL,
  "wallet_id" UUID NOT NULL,
  "owner_id" UUID NOT NULL,
  "hold" BIGINT NOT NULL,
  "cost" BIGINT,
  "checkpoint" BIGINT NOT NULL DEFAULT 0,
  "write_off" BIGINT NOT NULL DEFAULT 0,
  "deadline" TIMESTAMPTZ(3) NOT NULL,
  "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "closed_at" TIMESTAMPTZ(3),
  "state" "billing_state" NOT NULL,
  "kind" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "price_version" TEXT NOT NULL,
  CONSTRAINT "billing_request_pkey" PRIMARY KEY ("request_id"),
  CONSTRAINT "billing_request_hold_check" CHECK ("hold" >= 0),
  CONSTRAINT "billing_request_cost_check" CHECK ("cost" BETWEEN 0 AND "hold"),
  CONSTRAINT "billing_request_checkpoint_check" CHECK ("checkpoint" BETWEEN 0 AND "hold"),
  CONSTRAINT "billing_request_write_off_check" CHECK ("write_off" >= 0),
  CONSTRAINT "billing_request_closed_check" CHECK (("state" = 'open') = ("cost" IS NULL))
) WITH (fillfactor = 70);

-- The sweeper and the auditor read only open rows. No index contains a column that a checkpoint
-- changes, so checkpoints stay on their page too.
CREATE INDEX "billing_request_open_idx" ON "billing_request"("wallet_id") WHERE "state" = 'open';

CREATE TABLE "ledger_entry" (
  "id" BIGINT GENERATED ALWAYS AS IDENTITY,
  "wallet_id" UUID NOT NULL,
  "request_id" UUID,
  "amount" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "account" "ledger_account" NOT NULL,
  "reason" "ledger_reason" NOT NULL,
  "external_ref" TEXT,
  "note" TEXT,
  CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "ledger_entry_top_up_check" CHECK (("reason" = 'top_up') = ("external_ref" IS NOT NULL)),
  CONSTRAINT "ledger_entry_request_check" CHECK (("reason" = 'top_up') = ("request_id" IS NULL))
);

-- One top-up per payment id. A top-up's two rows differ in their account.
CREATE UNIQUE INDEX "ledger_entry_external_ref_key" ON "ledger_entry"("external_ref", "account")
  WHERE "external_ref" IS NOT NULL;

CREATE TABLE "ledger_owner" (
  "owner_id" UUID NOT NULL,
  "heartbeat_at" TIMESTAMPTZ(3) NOT NULL,
  "counted_at" TIMESTAMPTZ(3) NOT NULL,
  "missed_sweeps" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "ledger_owner_pkey" PRIMARY KEY ("owner_id")
);

CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on %: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER "ledger_entry_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('entries are only ever added');

CREATE TRIGGER "billing_request_final" AFTER UPDATE ON "billing_request"
  FOR EACH ROW WHEN (OLD."state" = 'posted' OR (OLD."state" = 'voided' AND NEW."state" = 'open'))
  EXECUTE FUNCTION "refuse_change"('posted is final and nothing reopens');

GRANT SELECT, UPDATE ON "wallet" TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE ON "billing_request" TO ratchet_inference;
GRANT SELECT, INSERT ON "ledger_entry" TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE, DELETE ON "ledger_owner" TO ratchet_inference;
