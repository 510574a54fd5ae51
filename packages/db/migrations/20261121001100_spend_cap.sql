-- Maximum cost of a series of calls within a time window, besides the wallet's balance. A request counts in the window
-- of its hold, whenever it ends. Triggers update the sums, so that every statement that ends a request does.

-- A cap changes only while its wallet is locked, so it needs no place in the lock order.
CREATE TABLE "spend_cap" (
  "wallet_id" UUID NOT NULL,
  "cap_id" UUID NOT NULL,
  "window_start" TIMESTAMPTZ(3) NOT NULL,
  "cap" BIGINT NOT NULL,
  "spent" BIGINT NOT NULL DEFAULT 0,
  "held" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "spend_cap_pkey" PRIMARY KEY ("wallet_id", "cap_id", "window_start"),
  CONSTRAINT "spend_cap_amounts_check" CHECK ("cap" >= 0 AND "spent" >= 0 AND "held" >= 0),
  CONSTRAINT "spend_cap_cap_check" CHECK ("cap" = 0 OR "spent" + "held" <= "cap")
) WITH (fillfactor = 50);

ALTER TABLE "billing_request"
  ADD COLUMN "cap_id" UUID,
  ADD COLUMN "cap_window" TIMESTAMPTZ(3);

CREATE FUNCTION "hold_spend_cap"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "spend_cap" SET "held" = "held" + NEW."hold"
  WHERE "wallet_id" = NEW."wallet_id" AND "cap_id" = NEW."cap_id" AND "window_start" = NEW."cap_window";
  IF NOT FOUND THEN
    RAISE EXCEPTION 'request % names a spend cap that is not there', NEW."request_id"
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION "close_spend_cap"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "spend_cap" SET
    "held" = "held" - CASE WHEN OLD."state" = 'open' THEN OLD."hold" ELSE 0 END,
    "spent" = "spent" + NEW."cost" - coalesce(OLD."cost", 0)
  WHERE "wallet_id" = OLD."wallet_id" AND "cap_id" = OLD."cap_id" AND "window_start" = OLD."cap_window";
  RETURN NULL;
END
$$;

-- For requests without a cap, which are nearly all, only the conditions are evaluated.
CREATE TRIGGER "billing_request_cap_held" AFTER INSERT ON "billing_request"
  FOR EACH ROW WHEN (NEW."cap_id" IS NOT NULL) EXECUTE FUNCTION "hold_spend_cap"();

CREATE TRIGGER "billing_request_cap_closed" AFTER UPDATE OF "state" ON "billing_request"
  FOR EACH ROW WHEN (OLD."cap_id" IS NOT NULL) EXECUTE FUNCTION "close_spend_cap"();

CREATE TRIGGER "billing_request_cap_final" AFTER UPDATE OF "cap_id", "cap_window" ON "billing_request"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"('a request stays in its window');

GRANT SELECT, INSERT, UPDATE ON "spend_cap" TO ratchet_inference;
