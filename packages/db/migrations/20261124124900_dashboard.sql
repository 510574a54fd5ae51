-- The dashboard: sign-in of people, and the tables of identity and settings, which it writes beside the operator.
DO $$
BEGIN
  BEGIN
    CREATE ROLE ratchet_dashboard NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
  END;
  GRANT ratchet_dashboard TO CURRENT_USER;
  GRANT USAGE ON SCHEMA public TO ratchet_dashboard;
END
$$;

ALTER TABLE "app_user"
  ADD COLUMN "operator" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "email_verified" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "image" TEXT,
  ADD COLUMN "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now();
ALTER TABLE "membership" ADD COLUMN "may_grade" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "auth_session" (
  "id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "token" TEXT NOT NULL,
  "ip_address" TEXT,
  "user_agent" TEXT,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "auth_session_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "auth_session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "auth_session_token_key" ON "auth_session"("token");
CREATE INDEX "auth_session_user_id_idx" ON "auth_session"("user_id");

CREATE TABLE "auth_account" (
  "id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "account_id" TEXT NOT NULL,
  "provider_id" TEXT NOT NULL,
  "access_token" TEXT,
  "refresh_token" TEXT,
  "id_token" TEXT,
  "access_token_expires_at" TIMESTAMPTZ(3),
  "refresh_token_expires_at" TIMESTAMPTZ(3),
  "scope" TEXT,
  "password" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "auth_account_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "auth_account_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "auth_account_provider_id_account_id_key" ON "auth_account"("provider_id", "account_id");
CREATE INDEX "auth_account_user_id_idx" ON "auth_account"("user_id");

CREATE TABLE "auth_verification" (
  "id" UUID NOT NULL,
  "identifier" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "auth_verification_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "auth_verification_identifier_idx" ON "auth_verification"("identifier");

CREATE TABLE "auth_passkey" (
  "id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "name" TEXT,
  "public_key" TEXT NOT NULL,
  "credential_id" TEXT NOT NULL,
  "counter" INTEGER NOT NULL,
  "device_type" TEXT NOT NULL,
  "backed_up" BOOLEAN NOT NULL,
  "transports" TEXT,
  "aaguid" TEXT,
  "created_at" TIMESTAMPTZ(3),
  CONSTRAINT "auth_passkey_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "auth_passkey_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "auth_passkey_credential_id_key" ON "auth_passkey"("credential_id");
CREATE INDEX "auth_passkey_user_id_idx" ON "auth_passkey"("user_id");

CREATE TABLE "invitation" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "email" TEXT NOT NULL,
  "role" "role" NOT NULL,
  "may_grade" BOOLEAN NOT NULL,
  "token_hash" BYTEA NOT NULL,
  "invited_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "invitation_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "invitation_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "invitation_invited_by_fkey" FOREIGN KEY ("invited_by") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "invitation_token_hash_key" ON "invitation"("token_hash");
CREATE UNIQUE INDEX "invitation_workspace_id_email_key" ON "invitation"("workspace_id", "email");

CREATE TABLE "audit_event" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "user_id" UUID,
  "action" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "before" TEXT,
  "after" TEXT,
  "request_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_event_workspace_id_id_idx" ON "audit_event"("workspace_id", "id" DESC);
CREATE TRIGGER "audit_event_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_event"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('events are only ever added');

CREATE TABLE "saved_view" (
  "workspace_id" UUID NOT NULL,
  "user_id" UUID NOT NULL,
  "views" TEXT NOT NULL,
  CONSTRAINT "saved_view_pkey" PRIMARY KEY ("workspace_id", "user_id"),
  CONSTRAINT "saved_view_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "saved_view_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "user_preference" (
  "user_id" UUID NOT NULL,
  "value" TEXT NOT NULL,
  CONSTRAINT "user_preference_pkey" PRIMARY KEY ("user_id"),
  CONSTRAINT "user_preference_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

GRANT SELECT, INSERT, UPDATE ON "app_user", "workspace", "workspace_settings", "api_key" TO ratchet_dashboard;
GRANT SELECT, INSERT, UPDATE, DELETE ON "membership", "provider_key", "auth_session", "auth_account", "auth_verification",
  "auth_passkey", "invitation", "saved_view", "user_preference" TO ratchet_dashboard;
GRANT SELECT, INSERT ON "audit_event" TO ratchet_dashboard;
GRANT SELECT ON "api_key_use" TO ratchet_dashboard;
-- For a change of keys, which waits until no edge answers from what it read before.
GRANT SELECT ON "key_change" TO ratchet_dashboard;
GRANT SELECT, DELETE ON "edge_lease" TO ratchet_dashboard;
GRANT SELECT, INSERT ON "key_timeline" TO ratchet_dashboard;
