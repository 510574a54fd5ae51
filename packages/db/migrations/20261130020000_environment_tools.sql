-- Tools that models call in training runs, with their versions, recordings and calls. Only the training service writes these tables.

CREATE TABLE "environment_tool" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  -- `http`, `static` or `recorded`.
  "kind" TEXT NOT NULL,
  -- Number of the newest version.
  "version" INTEGER NOT NULL DEFAULT 1,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "environment_tool_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "environment_tool_kind_check" CHECK ("kind" IN ('http', 'static', 'recorded'))
);
CREATE UNIQUE INDEX "environment_tool_name_key" ON "environment_tool"("workspace_id", "name");

-- What a tool was like at one time. A run keeps the version that it started with.
CREATE TABLE "environment_tool_version" (
  "id" UUID NOT NULL,
  "tool_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "version" INTEGER NOT NULL,
  -- JSON text: everything but the secrets.
  "settings" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "environment_tool_version_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "environment_tool_version_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "environment_tool"("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "environment_tool_version_number_key" ON "environment_tool_version"("tool_id", "version");

-- The encrypted secrets of a version with an address: values of headers, and what signs its calls. The id is that of the version.
CREATE TABLE "environment_tool_secret" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "key_id" TEXT NOT NULL,
  "nonce" BYTEA NOT NULL,
  "ciphertext" BYTEA NOT NULL,
  CONSTRAINT "environment_tool_secret_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "environment_tool_secret_id_fkey" FOREIGN KEY ("id") REFERENCES "environment_tool_version"("id") ON DELETE CASCADE
);

-- Distinct calls of a recorded tool with their answers. They belong to all of its versions.
CREATE TABLE "tool_recording" (
  "tool_id" UUID NOT NULL,
  -- SHA-256 of what is compared, in hex.
  "key" TEXT NOT NULL,
  "workspace_id" UUID NOT NULL,
  "compared" TEXT NOT NULL,
  -- JSON text of the arguments of one of the calls.
  "arguments" TEXT NOT NULL,
  "result" TEXT NOT NULL,
  -- How many calls in the log had this answer.
  "seen" INTEGER NOT NULL,
  CONSTRAINT "tool_recording_pkey" PRIMARY KEY ("tool_id", "key"),
  CONSTRAINT "tool_recording_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "environment_tool"("id") ON DELETE CASCADE
);

-- Which version of a tool a run has. A tool cannot be deleted while a run has one.
CREATE TABLE "environment_tool_use" (
  "run_id" UUID NOT NULL,
  "tool_id" UUID NOT NULL,
  -- `tool` or `reward`.
  "use" TEXT NOT NULL,
  "version_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- Place among the tools of the run.
  "position" INTEGER NOT NULL,
  CONSTRAINT "environment_tool_use_pkey" PRIMARY KEY ("run_id", "tool_id", "use"),
  CONSTRAINT "environment_tool_use_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "environment_tool"("id"),
  CONSTRAINT "environment_tool_use_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "environment_tool_version"("id"),
  CONSTRAINT "environment_tool_use_use_check" CHECK ("use" IN ('tool', 'reward'))
);
CREATE INDEX "environment_tool_use_tool_idx" ON "environment_tool_use"("tool_id");
CREATE INDEX "environment_tool_use_version_idx" ON "environment_tool_use"("version_id");

-- A call in a run. It is made once: a repetition reads the answer.
CREATE TABLE "tool_call" (
  "run_id" UUID NOT NULL,
  -- What the trainer calls the call, and the episode that it belongs to.
  "call_id" TEXT NOT NULL,
  "rollout_id" TEXT NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- Null for a tool that the run does not have.
  "tool_id" UUID,
  -- Until when the request that makes it has time.
  "leased_until" TIMESTAMPTZ(3) NOT NULL,
  -- JSON text; null while it is made.
  "answer" TEXT,
  -- `answered`, or the code of the error; null while it is made.
  "outcome" TEXT,
  -- Whether there was a recording; null for other kinds.
  "recorded_hit" BOOLEAN,
  "duration_ms" DOUBLE PRECISION,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "tool_call_pkey" PRIMARY KEY ("run_id", "call_id")
);
CREATE INDEX "tool_call_rollout_idx" ON "tool_call"("run_id", "rollout_id");
CREATE INDEX "tool_call_newest_idx" ON "tool_call"("tool_id", "created_at" DESC);
CREATE INDEX "tool_call_created_at_idx" ON "tool_call"("created_at");

GRANT SELECT, INSERT, UPDATE, DELETE ON "environment_tool", "tool_call" TO ratchet_training;
GRANT SELECT, INSERT, DELETE ON "environment_tool_version", "environment_tool_use" TO ratchet_training;
GRANT SELECT, INSERT ON "environment_tool_secret", "tool_recording" TO ratchet_training;
