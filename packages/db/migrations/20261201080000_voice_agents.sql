-- Voice agents with their versions, and the tools that they call. Only the voice service writes these tables.

DO $$
BEGIN
  BEGIN
    CREATE ROLE ratchet_voice NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
  END;
  GRANT ratchet_voice TO CURRENT_USER;
  GRANT USAGE ON SCHEMA public TO ratchet_voice;
END
$$;

CREATE TABLE "agent" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- Who created it. Keys from before workspaces see the agents of their user only.
  "owner_user_id" UUID NOT NULL,
  -- Number of the newest version, and of the one that calls use; null: none yet.
  "version" INTEGER NOT NULL DEFAULT 1,
  "published_version" INTEGER,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  -- A deleted agent stays for the calls that it held.
  "deleted_at" TIMESTAMPTZ(3),
  CONSTRAINT "agent_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "agent_newest_idx" ON "agent"("workspace_id", "created_at" DESC) WHERE "deleted_at" IS NULL;

-- What an agent was like at one time. It never changes.
CREATE TABLE "agent_version" (
  "id" UUID NOT NULL,
  "agent_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "version" INTEGER NOT NULL,
  "spec" JSONB NOT NULL,
  -- SHA-256 of the settings in a canonical order, in hex.
  "sha256" TEXT NOT NULL,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "agent_version_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "agent_version_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id")
);
CREATE UNIQUE INDEX "agent_version_number_key" ON "agent_version"("agent_id", "version");

-- Who did what to an agent.
CREATE TABLE "agent_event" (
  "id" UUID NOT NULL,
  "agent_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `created`, `changed`, `published` or `deleted`.
  "kind" TEXT NOT NULL,
  -- The version that it is about; null: the agent as a whole.
  "version" INTEGER,
  "user_id" UUID NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "agent_event_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "agent_event_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id"),
  CONSTRAINT "agent_event_kind_check" CHECK ("kind" IN ('created', 'changed', 'published', 'deleted'))
);
CREATE INDEX "agent_event_agent_idx" ON "agent_event"("agent_id", "at");

CREATE TABLE "voice_tool" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "owner_user_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  -- Raised by each change.
  "version" INTEGER NOT NULL DEFAULT 1,
  -- Everything but the secrets.
  "settings" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "voice_tool_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "voice_tool_name_key" ON "voice_tool"("workspace_id", "name");

-- The encrypted secrets of a tool: values of headers, and what signs its calls. The id is that of the tool.
CREATE TABLE "voice_tool_secret" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "key_id" TEXT NOT NULL,
  "nonce" BYTEA NOT NULL,
  "ciphertext" BYTEA NOT NULL,
  CONSTRAINT "voice_tool_secret_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "voice_tool_secret_id_fkey" FOREIGN KEY ("id") REFERENCES "voice_tool"("id") ON DELETE CASCADE
);

-- First answers to requests with an Idempotency-Key, of the voice service.
CREATE TABLE "voice_answer" (
  "workspace_id" UUID NOT NULL,
  "id" UUID NOT NULL,
  "digest" TEXT,
  "answer" TEXT,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "claim" UUID,
  CONSTRAINT "voice_answer_pkey" PRIMARY KEY ("workspace_id", "id")
);
CREATE INDEX "voice_answer_expires_at_idx" ON "voice_answer"("expires_at");

GRANT SELECT, INSERT, UPDATE ON "agent" TO ratchet_voice;
GRANT SELECT, INSERT ON "agent_version", "agent_event" TO ratchet_voice;
GRANT SELECT, INSERT, UPDATE, DELETE ON "voice_tool", "voice_answer" TO ratchet_voice;
GRANT SELECT, INSERT, UPDATE ON "voice_tool_secret" TO ratchet_voice;
