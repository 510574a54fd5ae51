-- Numbers of carriers that stream calls on WebSockets.
ALTER TABLE "voice_number" DROP CONSTRAINT "voice_number_provider_check";
ALTER TABLE "voice_number" ADD CONSTRAINT "voice_number_provider_check" CHECK ("provider" IN ('sip', 'twilio', 'telnyx'));
-- A webhook of a carrier that comes twice finds the call of the first one.
CREATE INDEX "call_carrier_idx" ON "call"("number_id", ("carrier" ->> 'id')) WHERE "number_id" IS NOT NULL;
-- Of calls of telephones: the provider of the number, for its prices. Calls from before it are of trunks.
ALTER TABLE "call" ADD COLUMN "provider" TEXT;
