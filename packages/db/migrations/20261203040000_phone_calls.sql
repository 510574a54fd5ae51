-- Telephone numbers of workspaces, and calls that come from and go to telephones. Only the voice service and its workers write these
-- tables.

CREATE TABLE "voice_number" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- Who added it. Calls to it are calls of this user.
  "owner_user_id" UUID NOT NULL,
  "e164" TEXT NOT NULL,
  "provider" TEXT NOT NULL,
  -- The agent that answers calls to the number; null: none does.
  "agent_id" UUID,
  "direction" TEXT NOT NULL,
  -- The rest, as the API shows it.
  "settings" JSONB NOT NULL,
  "version" INTEGER NOT NULL DEFAULT 1,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  -- When somebody last asked whether the carrier answers, and what a worker found.
  "check_asked_at" TIMESTAMPTZ(3),
  "check_result" JSONB,
  CONSTRAINT "voice_number_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "voice_number_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id"),
  CONSTRAINT "voice_number_provider_check" CHECK ("provider" IN ('sip')),
  CONSTRAINT "voice_number_direction_check" CHECK ("direction" IN ('inbound', 'outbound', 'both'))
);
CREATE UNIQUE INDEX "voice_number_e164_key" ON "voice_number"("workspace_id", "e164");
CREATE INDEX "voice_number_newest_idx" ON "voice_number"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "voice_number_agent_idx" ON "voice_number"("agent_id") WHERE "agent_id" IS NOT NULL;
CREATE INDEX "voice_number_check_idx" ON "voice_number"("check_asked_at") WHERE "check_asked_at" IS NOT NULL;

-- The encrypted password of a number's trunk. Numbers whose trunk asks for none have no row.
CREATE TABLE "voice_number_secret" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "key_id" TEXT NOT NULL,
  "nonce" BYTEA NOT NULL,
  "ciphertext" BYTEA NOT NULL,
  CONSTRAINT "voice_number_secret_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "voice_number_secret_id_fkey" FOREIGN KEY ("id") REFERENCES "voice_number"("id") ON DELETE CASCADE
);

ALTER TABLE "call"
  -- Of calls of telephones: `inbound` or `outbound`, our number, both numbers, and what the carrier said.
  ADD COLUMN "direction" TEXT,
  ADD COLUMN "number_id" UUID,
  ADD COLUMN "to_number" TEXT,
  ADD COLUMN "from_number" TEXT,
  ADD COLUMN "carrier" JSONB,
  -- What another worker needs to go on with the call at the carrier, or to hang up there.
  ADD COLUMN "dialog" JSONB,
  -- When a worker began to dial. It does so once.
  ADD COLUMN "dialed_at" TIMESTAMPTZ(3),
  DROP CONSTRAINT "call_type_check",
  DROP CONSTRAINT "call_status_check",
  DROP CONSTRAINT "call_ended_check",
  ADD CONSTRAINT "call_type_check" CHECK ("type" IN ('web', 'phone')),
  ADD CONSTRAINT "call_status_check" CHECK (
    "status" IN ('queued', 'dialing', 'ringing', 'in_progress', 'completed', 'canceled', 'no_answer', 'busy', 'failed')
  ),
  ADD CONSTRAINT "call_ended_check" CHECK (
    ("status" IN ('queued', 'dialing', 'ringing', 'in_progress')) = ("ended_at" IS NULL)
    AND ("ended_at" IS NULL) = ("ended_reason" IS NULL)
  ),
  ADD CONSTRAINT "call_phone_check" CHECK (("type" = 'phone') = ("number_id" IS NOT NULL AND "direction" IS NOT NULL)),
  ADD CONSTRAINT "call_direction_check" CHECK ("direction" IN ('inbound', 'outbound'));
CREATE INDEX "call_number_idx" ON "call"("number_id", "created_at" DESC) WHERE "number_id" IS NOT NULL;
CREATE INDEX "call_dialog_idx" ON "call"("seen_at") WHERE "dialog" IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON "voice_number", "voice_number_secret" TO ratchet_voice;
