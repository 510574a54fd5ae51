-- Database roles: every service takes its own role when it connects and has no other rights.
-- Roles belong to the cluster, so another database may have created them.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['ratchet_edge', 'ratchet_inference'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
    EXECUTE format('GRANT %I TO CURRENT_USER', name);
    EXECUTE format('GRANT USAGE ON SCHEMA public TO %I', name);
  END LOOP;
END
$$;

CREATE TYPE "role" AS ENUM ('owner', 'admin', 'member');

CREATE TABLE "app_user" (
  "id" UUID NOT NULL,
  "email" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "app_user_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "app_user_email_key" ON "app_user"("email");

CREATE TABLE "workspace" (
  "id" UUID NOT NULL,
  "slug" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "workspace_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "workspace_slug_key" ON "workspace"("slug");

CREATE TABLE "membership" (
  "workspace_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "role" "role" NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "membership_pkey" PRIMARY KEY ("workspace_id", "user_id"),
  CONSTRAINT "membership_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "membership_user_id_idx" ON "membership"("user_id");

CREATE TABLE "api_key" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "hash" BYTEA NOT NULL,
  "display" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "revoked_at" TIMESTAMPTZ(3),
  CONSTRAINT "api_key_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "api_key_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "api_key_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");
CREATE INDEX "api_key_workspace_id_idx" ON "api_key"("workspace_id");

-- All that the edge may read of a key. Through the join to membership, a new role or the removal
-- of its user applies to the key in the same commit.
CREATE VIEW "api_key_identity" AS
  SELECT k."hash", k."id" AS key_id, k."workspace_id", k."user_id", m."role"::text AS role
  FROM "api_key" k
  JOIN "membership" m ON m."workspace_id" = k."workspace_id" AND m."user_id" = k."user_id"
  WHERE k."revoked_at" IS NULL;

CREATE TABLE "api_key_use" (
  "key_id" UUID NOT NULL,
  "last_used_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "api_key_use_pkey" PRIMARY KEY ("key_id")
);

CREATE TABLE "abuse_guard_hit" (
  "id" BIGSERIAL NOT NULL,
  "workspace_id" UUID NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "abuse_guard_hit_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "abuse_guard_hit_workspace_id_at_idx" ON "abuse_guard_hit"("workspace_id", "at");

GRANT SELECT ON "api_key_identity" TO ratchet_edge;
GRANT SELECT, INSERT, UPDATE ON "api_key_use" TO ratchet_edge;
GRANT SELECT, INSERT, DELETE ON "abuse_guard_hit" TO ratchet_edge;
GRANT USAGE ON SEQUENCE "abuse_guard_hit_id_seq" TO ratchet_edge;
