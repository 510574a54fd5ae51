-- What calls cost. A call is paid in slices of a minute; the ledger holds and charges each, and here is written what for. Only the
-- voice service and its workers write these tables.

CREATE TABLE "call_slice" (
  "call_id" UUID NOT NULL,
  "number" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- The request of the ledger.
  "hold_id" UUID NOT NULL,
  -- The prices of the call.
  "rates" JSONB NOT NULL,
  "amount_nano" BIGINT NOT NULL,
  "state" TEXT NOT NULL DEFAULT 'held',
  -- Use of the whole call, when this was last written.
  "answered_ms" INTEGER NOT NULL DEFAULT 0,
  "recognized_ms" INTEGER NOT NULL DEFAULT 0,
  "spoken_characters" INTEGER NOT NULL DEFAULT 0,
  -- Of this slice: what it cost by then, and what the ledger charged.
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  "charged_nano" BIGINT,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  CONSTRAINT "call_slice_pkey" PRIMARY KEY ("call_id", "number"),
  CONSTRAINT "call_slice_state_check" CHECK ("state" IN ('held', 'ended', 'posted', 'released')),
  CONSTRAINT "call_slice_amounts_check" CHECK ("cost_nano" BETWEEN 0 AND "amount_nano" AND "charged_nano" >= 0),
  CONSTRAINT "call_slice_charged_check" CHECK (("state" IN ('posted', 'released')) = ("charged_nano" IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX "call_slice_unfinished_idx" ON "call_slice"("state") WHERE "state" IN ('held', 'ended');

-- Requests of a call to language models. The ledger knows what each cost.
CREATE TABLE "call_request" (
  "request_id" UUID NOT NULL,
  "call_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  -- Null until it is known.
  "cost_nano" BIGINT,
  CONSTRAINT "call_request_pkey" PRIMARY KEY ("request_id")
);
CREATE INDEX "call_request_call_idx" ON "call_request"("call_id");

GRANT SELECT, INSERT, UPDATE ON "call_slice", "call_request" TO ratchet_voice;
