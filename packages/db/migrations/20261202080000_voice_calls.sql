-- Calls of voice agents. Only the voice service and its workers write these tables.

CREATE TABLE "call" (
  -- Also the trace of its requests to models.
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- Who created it. Keys from before workspaces see the calls of their user only.
  "owner_user_id" UUID NOT NULL,
  "agent_id" UUID NOT NULL,
  "agent_version" INTEGER NOT NULL,
  -- `live` or `test`, as the key that created it.
  "env" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "status" TEXT NOT NULL DEFAULT 'queued',
  "ended_reason" TEXT,
  -- `caller`, `agent`, `api` or `system`.
  "ended_by" TEXT,
  -- What the call has instead of the settings of its agent.
  "overrides" JSONB NOT NULL,
  -- Those that are not declared secret.
  "variables" JSONB NOT NULL,
  "metadata" JSONB NOT NULL,
  -- The encrypted values of secret variables, until the call ends.
  "secret_key_id" TEXT,
  "secret_nonce" BYTEA,
  "secret_ciphertext" BYTEA,
  -- SHA-256 of the token by which the caller connects, first or again. Each is accepted once.
  "token_hash" BYTEA,
  "token_expires_at" TIMESTAMPTZ(3),
  -- The worker that holds the call, and how many have.
  "worker_id" TEXT,
  "generation" INTEGER NOT NULL DEFAULT 0,
  -- When the worker was last known to hold it.
  "seen_at" TIMESTAMPTZ(3),
  -- When the caller's line was lost, while the caller may come back.
  "detached_at" TIMESTAMPTZ(3),
  "stop_requested_at" TIMESTAMPTZ(3),
  -- What was used of it, as the worker last said.
  "talked_ms" INTEGER NOT NULL DEFAULT 0,
  "recognized_ms" INTEGER NOT NULL DEFAULT 0,
  "spoken_characters" INTEGER NOT NULL DEFAULT 0,
  -- What the agent is saying, with the times of its words: another worker must know what the caller heard of it.
  "spoken_now" JSONB,
  -- How many events were written.
  "events" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "answered_at" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3),
  -- For how long its texts are kept after its end; when they are deleted; and when they were.
  "retention_days" INTEGER NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "erased_at" TIMESTAMPTZ(3),
  CONSTRAINT "call_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "call_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agent"("id"),
  CONSTRAINT "call_env_check" CHECK ("env" IN ('live', 'test')),
  CONSTRAINT "call_type_check" CHECK ("type" IN ('web')),
  CONSTRAINT "call_status_check" CHECK (
    "status" IN ('queued', 'in_progress', 'completed', 'canceled', 'no_answer')
  ),
  CONSTRAINT "call_ended_check" CHECK (
    ("status" IN ('queued', 'in_progress')) = ("ended_at" IS NULL) AND ("ended_at" IS NULL) = ("ended_reason" IS NULL)
  ),
  CONSTRAINT "call_answered_check" CHECK ("status" <> 'in_progress' OR "answered_at" IS NOT NULL)
);
CREATE INDEX "call_newest_idx" ON "call"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "call_agent_idx" ON "call"("agent_id", "created_at" DESC);
-- Calls that are waiting or under way, which workers look through.
CREATE INDEX "call_live_idx" ON "call"("status", "worker_id") WHERE "ended_at" IS NULL;
CREATE INDEX "call_expires_idx" ON "call"("expires_at") WHERE "expires_at" IS NOT NULL;

-- What was said and heard, and the tools that the agent called. It is written when a turn has ended.
CREATE TABLE "call_turn" (
  "call_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "index" INTEGER NOT NULL,
  -- `caller`, `agent` or `tool`.
  "role" TEXT NOT NULL,
  "text" TEXT NOT NULL,
  -- Milliseconds since the call was answered.
  "start_ms" INTEGER NOT NULL,
  "end_ms" INTEGER NOT NULL,
  -- Milliseconds of the agent's audio that were played.
  "played_ms" INTEGER,
  "interrupted" BOOLEAN NOT NULL,
  -- Of a tool: its name and arguments.
  "tool" JSONB,
  -- Of the agent: what the caller waited for.
  "latency" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "call_turn_pkey" PRIMARY KEY ("call_id", "index"),
  CONSTRAINT "call_turn_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "call"("id"),
  CONSTRAINT "call_turn_role_check" CHECK ("role" IN ('caller', 'agent', 'tool'))
);

-- What happened in a call, in order. Rows are only added, and deleted with the texts of the call.
CREATE TABLE "call_event" (
  "call_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "seq" INTEGER NOT NULL,
  -- Milliseconds since the call was answered; null before.
  "at_ms" INTEGER,
  "kind" TEXT NOT NULL,
  "body" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "call_event_pkey" PRIMARY KEY ("call_id", "seq"),
  CONSTRAINT "call_event_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "call"("id")
);

-- What the API asks of the worker that holds a call.
CREATE TABLE "call_command" (
  "id" UUID NOT NULL,
  "call_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "kind" TEXT NOT NULL,
  "body" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "call_command_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "call_command_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "call"("id")
);
CREATE INDEX "call_command_call_idx" ON "call_command"("call_id");

-- Workers and their room.
CREATE TABLE "voice_worker" (
  "id" TEXT NOT NULL,
  "seen_at" TIMESTAMPTZ(3) NOT NULL,
  "calls" INTEGER NOT NULL,
  -- 0 while it stops.
  "max_calls" INTEGER NOT NULL,
  CONSTRAINT "voice_worker_pkey" PRIMARY KEY ("id")
);

GRANT SELECT, INSERT, UPDATE ON "call" TO ratchet_voice;
GRANT SELECT, INSERT, DELETE ON "call_turn", "call_event", "call_command" TO ratchet_voice;
GRANT SELECT, INSERT, UPDATE, DELETE ON "voice_worker" TO ratchet_voice;
