-- Escrow: an inference process takes a block of a wallet's balance, holds out of it in memory, and adds one row per
-- charge. The wallet and the ledger's entries are written when a block is booked, with the sum of its charges.

CREATE TYPE "block_state" AS ENUM ('open', 'sealed', 'booked');

-- An open block takes charges, a sealed one no more, a booked one is in its wallet.
CREATE TABLE "escrow_block" (
  "block_id" UUID NOT NULL,
  "wallet_id" UUID NOT NULL,
  "owner_id" UUID NOT NULL,
  "amount" BIGINT NOT NULL,
  "charged" BIGINT,
  "charges" INTEGER,
  "state" "block_state" NOT NULL DEFAULT 'open',
  "deadline" TIMESTAMPTZ(3) NOT NULL,
  "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "sealed_at" TIMESTAMPTZ(3),
  CONSTRAINT "escrow_block_pkey" PRIMARY KEY ("block_id"),
  CONSTRAINT "escrow_block_amount_check" CHECK ("amount" >= 0),
  CONSTRAINT "escrow_block_sealed_check" CHECK (("state" = 'open') = ("sealed_at" IS NULL)),
  CONSTRAINT "escrow_block_booked_check" CHECK (("state" = 'booked') = ("charged" IS NOT NULL AND "charges" IS NOT NULL))
) WITH (fillfactor = 70);

CREATE INDEX "escrow_block_unbooked_idx" ON "escrow_block"("wallet_id") WHERE "state" <> 'booked';

CREATE TRIGGER "escrow_block_final" AFTER UPDATE ON "escrow_block"
  FOR EACH ROW WHEN (OLD."state" = 'booked' OR (OLD."state" = 'sealed' AND NEW."state" = 'open'))
  EXECUTE FUNCTION "refuse_change"('booked is final and nothing reopens');

-- Request ids begin with their time, so a month of requests is a range of ids, and the key of the partitions remains the
-- request id alone: a request is charged once, in whatever month it is repeated.
CREATE TABLE "charge" (
  "request_id" UUID NOT NULL,
  "wallet_id" UUID NOT NULL,
  "block_id" UUID NOT NULL,
  "cost" BIGINT NOT NULL,
  "write_off" BIGINT NOT NULL DEFAULT 0,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "log_request_id" UUID,
  "log_expires_on" DATE,
  "kind" TEXT NOT NULL,
  "model" TEXT NOT NULL,
  "price_version" TEXT NOT NULL,
  CONSTRAINT "charge_pkey" PRIMARY KEY ("request_id"),
  CONSTRAINT "charge_cost_check" CHECK ("cost" >= 0 AND "write_off" >= 0),
  CONSTRAINT "charge_log_check" CHECK (("log_request_id" IS NULL) = ("log_expires_on" IS NULL))
) PARTITION BY RANGE ("request_id");

CREATE INDEX "charge_block_idx" ON "charge"("block_id");

CREATE TRIGGER "charge_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "charge"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('charges are only ever added');

-- Takes the charges of months without a partition, so that a charge never fails for want of one.
CREATE TABLE "charge_default" PARTITION OF "charge" DEFAULT;

CREATE FUNCTION "first_id_of"("month" DATE) RETURNS UUID LANGUAGE sql IMMUTABLE AS $$
  SELECT (lpad(to_hex(extract(epoch FROM month::timestamp)::bigint * 1000), 12, '0') || repeat('0', 20))::uuid
$$;

-- Creates the partitions of this month and the next two. SECURITY DEFINER, because ratchet_inference owns no tables. It
-- gives up early when others use the table: a waiting lock would delay charges, and it is called again within the hour.
-- Later months come first and each fails alone: a month with charges in the default partition can get none any more, and
-- must not keep the others from theirs.
CREATE FUNCTION "ensure_charge_partitions"() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public SET lock_timeout = '100ms' AS $$
DECLARE
  month DATE;
  name TEXT;
BEGIN
  PERFORM pg_advisory_xact_lock(7402315003);
  FOR ahead IN REVERSE 2..0 LOOP
    month := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ahead))::date;
    name := 'charge_' || to_char(month, 'YYYYMM');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE %I PARTITION OF charge FOR VALUES FROM (%L) TO (%L)', name,
        first_id_of(month), first_id_of((month + interval '1 month')::date));
    EXCEPTION WHEN lock_not_available OR check_violation THEN
      RAISE WARNING 'no partition % of charges: %', name, SQLERRM;
    END;
  END LOOP;
END
$$;
SELECT "ensure_charge_partitions"();

-- Until then no block of the wallet is opened, because a request needs to know exactly what is free.
ALTER TABLE "wallet" ADD COLUMN "recalled_until" TIMESTAMPTZ(3);

-- False for processes of the release before, which know no blocks. No block is opened while one of them runs.
ALTER TABLE "ledger_owner" ADD COLUMN "knows_blocks" BOOLEAN NOT NULL DEFAULT false;

-- An entry has a payment, a request or a block. Existing entries satisfy it by the constraint that it replaces, so they are
-- not read again under the lock.
ALTER TABLE "ledger_entry" ADD COLUMN "block_id" UUID;
ALTER TABLE "ledger_entry"
  DROP CONSTRAINT "ledger_entry_request_check",
  ADD CONSTRAINT "ledger_entry_request_check" CHECK (num_nonnulls("external_ref", "request_id", "block_id") = 1) NOT VALID;

-- Every request that is held or charged, whichever table has it, for people and tests.
CREATE VIEW "ledger_request" AS
  SELECT "request_id", "wallet_id", "hold", "cost", "write_off", "state", "kind", "model", "price_version", "opened_at", "closed_at"
  FROM "billing_request"
  UNION ALL
  SELECT "request_id", "wallet_id", NULL, "cost", "write_off", 'posted', "kind", "model", "price_version", "at", "at"
  FROM "charge";

-- Wallets as they are now: charges of blocks that are not booked are paid, and no longer held.
CREATE VIEW "wallet_now" AS
  SELECT w."workspace_id", w."balance" - u."charged" AS "balance", w."held" - u."charged" AS "held", u."blocks",
    u."amount" - u."charged" AS "in_blocks"
  FROM "wallet" w CROSS JOIN LATERAL (
    SELECT count(*) AS "blocks", coalesce(sum(b."amount"), 0)::bigint AS "amount",
      coalesce(sum((SELECT sum(c."cost") FROM "charge" c WHERE c."block_id" = b."block_id")), 0)::bigint AS "charged"
    FROM "escrow_block" b WHERE b."wallet_id" = w."workspace_id" AND b."state" <> 'booked'
  ) u;

REVOKE ALL ON FUNCTION "ensure_charge_partitions"() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "ensure_charge_partitions"() TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE ON "escrow_block" TO ratchet_inference;
GRANT SELECT, INSERT ON "charge" TO ratchet_inference;
GRANT SELECT ON "wallet_now" TO ratchet_inference;
GRANT SELECT ("request_id", "wallet_id", "block_id", "log_request_id", "log_expires_on") ON "charge" TO ratchet_logging;
GRANT SELECT ("block_id") ON "ledger_entry" TO ratchet_logging;
GRANT SELECT ("block_id", "charges") ON "escrow_block" TO ratchet_logging;
