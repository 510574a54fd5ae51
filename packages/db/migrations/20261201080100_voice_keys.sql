-- Keys of the voice interface, beside those of the gateway, and their hourly windows. Only the edge writes the windows.

ALTER TABLE "api_key"
  -- The interface that accepts the key: `gateway` or `voice`.
  ADD COLUMN "surface" TEXT NOT NULL DEFAULT 'gateway',
  -- Of a voice key: `live` or `test`.
  ADD COLUMN "env" TEXT,
  -- `user`: a key from before workspaces, which sees what its user created.
  ADD COLUMN "scope" TEXT NOT NULL DEFAULT 'workspace',
  ADD COLUMN "expires_at" TIMESTAMPTZ(3),
  ADD CONSTRAINT "api_key_surface_check" CHECK ("surface" IN ('gateway', 'voice')),
  ADD CONSTRAINT "api_key_env_check" CHECK (("surface" = 'voice') = ("env" IS NOT NULL) AND "env" IN ('live', 'test')),
  ADD CONSTRAINT "api_key_scope_check" CHECK ("scope" = 'workspace' OR ("scope" = 'user' AND "surface" = 'voice')),
  ADD CONSTRAINT "api_key_expiry_check" CHECK ("expires_at" IS NULL OR "surface" = 'voice');

-- The gateway does not know keys of the voice interface.
CREATE OR REPLACE VIEW "api_key_identity" AS
  SELECT k."hash", k."id" AS key_id, k."workspace_id", k."user_id", m."role"::text AS role
  FROM "api_key" k
  JOIN "membership" m ON m."workspace_id" = k."workspace_id" AND m."user_id" = k."user_id"
  JOIN "workspace" w ON w."id" = k."workspace_id" AND w."disabled_at" IS NULL
  JOIN "app_user" u ON u."id" = k."user_id" AND u."disabled_at" IS NULL
  WHERE k."revoked_at" IS NULL AND k."surface" = 'gateway';

-- Whether a key has expired is decided by the clock of the database, the same for all edges.
CREATE VIEW "voice_key_identity" AS
  SELECT k."hash", k."id" AS key_id, k."workspace_id", k."user_id", m."role"::text AS role, k."env", k."scope"
  FROM "api_key" k
  JOIN "membership" m ON m."workspace_id" = k."workspace_id" AND m."user_id" = k."user_id"
  JOIN "workspace" w ON w."id" = k."workspace_id" AND w."disabled_at" IS NULL
  JOIN "app_user" u ON u."id" = k."user_id" AND u."disabled_at" IS NULL
  WHERE k."revoked_at" IS NULL AND k."surface" = 'voice' AND (k."expires_at" IS NULL OR k."expires_at" > now());
GRANT SELECT ON "voice_key_identity" TO ratchet_edge;

-- Requests of a voice key in one hour.
CREATE TABLE "voice_window" (
  "key_id" UUID NOT NULL,
  "window_start" TIMESTAMPTZ(0) NOT NULL,
  "used" INTEGER NOT NULL,
  CONSTRAINT "voice_window_pkey" PRIMARY KEY ("key_id", "window_start")
);
CREATE INDEX "voice_window_start_idx" ON "voice_window"("window_start");
GRANT SELECT, INSERT, UPDATE, DELETE ON "voice_window" TO ratchet_edge;
