-- Payments into wallets through a payment provider, and alerts of wallets. All in the main database.

CREATE TABLE "top_up" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "provider" TEXT NOT NULL,
  "amount" BIGINT NOT NULL,
  -- The provider's id of its payment page; null until there is one.
  "checkout_id" TEXT,
  -- The provider's id of the payment. One payment pays one top-up.
  "payment_id" TEXT,
  "status" TEXT NOT NULL DEFAULT 'pending',
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "ended_at" TIMESTAMPTZ(3),
  CONSTRAINT "top_up_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "top_up_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "top_up_amount_check" CHECK ("amount" > 0),
  CONSTRAINT "top_up_status_check" CHECK ("status" IN ('pending', 'credited', 'refused')),
  CONSTRAINT "top_up_ended_check" CHECK (("status" = 'pending') = ("ended_at" IS NULL))
);
CREATE UNIQUE INDEX "top_up_payment_key" ON "top_up"("provider", "payment_id");
CREATE INDEX "top_up_workspace_idx" ON "top_up"("workspace_id", "created_at");
CREATE TRIGGER "top_up_final" AFTER UPDATE ON "top_up"
  FOR EACH ROW WHEN (OLD."status" <> 'pending') EXECUTE FUNCTION "refuse_change"('a top-up that ended is final');

-- Messages of payment providers that were dealt with. A repeated one is not looked at again.
CREATE TABLE "payment_event" (
  "provider" TEXT NOT NULL,
  "event_id" TEXT NOT NULL,
  "received_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "payment_event_pkey" PRIMARY KEY ("provider", "event_id")
);

-- When what is available of a wallet falls below the threshold, `is_below` becomes true and an event is pending until it
-- is told. The threshold is in nano-dollars.
CREATE TABLE "wallet_alert" (
  "workspace_id" UUID NOT NULL,
  "threshold" BIGINT NOT NULL,
  "is_below" BOOLEAN NOT NULL DEFAULT false,
  "available" BIGINT,
  "changed_at" TIMESTAMPTZ(3),
  "event_id" UUID,
  "updated_by" UUID NOT NULL,
  CONSTRAINT "wallet_alert_pkey" PRIMARY KEY ("workspace_id"),
  CONSTRAINT "wallet_alert_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "wallet_alert_threshold_check" CHECK ("threshold" > 0)
);
CREATE INDEX "wallet_alert_pending_idx" ON "wallet_alert"("changed_at", "event_id") WHERE "event_id" IS NOT NULL;

GRANT SELECT, INSERT, UPDATE ON "top_up" TO ratchet_inference;
GRANT SELECT, INSERT ON "payment_event" TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE, DELETE ON "wallet_alert" TO ratchet_inference;
-- A payment credits a wallet, which may not exist yet. SECURITY DEFINER, because only operators may create wallets with
-- credit: this one is empty.
CREATE FUNCTION "ensure_wallet"("workspace" UUID) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  INSERT INTO wallet (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING
$$;
REVOKE ALL ON FUNCTION "ensure_wallet"(UUID) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "ensure_wallet"(UUID) TO ratchet_inference;
GRANT SELECT, INSERT ON "top_up_reference" TO ratchet_inference;
