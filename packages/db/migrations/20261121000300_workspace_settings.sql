-- Settings and provider keys of workspaces.

CREATE TABLE "workspace_settings" (
  "workspace_id" UUID NOT NULL,
  "logging_enabled" BOOLEAN NOT NULL DEFAULT false,
  "retention_days" INTEGER NOT NULL DEFAULT 30,
  "response_cache" BOOLEAN NOT NULL DEFAULT false,
  "fallback_models" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "requests_per_minute" INTEGER,
  "tokens_per_minute" INTEGER,
  CONSTRAINT "workspace_settings_pkey" PRIMARY KEY ("workspace_id"),
  CONSTRAINT "workspace_settings_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "workspace_settings_retention_check" CHECK ("retention_days" IN (7, 30, 90)),
  CONSTRAINT "workspace_settings_fallback_check" CHECK (cardinality("fallback_models") <= 8),
  CONSTRAINT "workspace_settings_limits_check" CHECK ("requests_per_minute" >= 1 AND "tokens_per_minute" >= 1)
);

ALTER TABLE "api_key"
  ADD COLUMN "requests_per_minute" INTEGER,
  ADD COLUMN "tokens_per_minute" INTEGER,
  ADD CONSTRAINT "api_key_limits_check" CHECK ("requests_per_minute" >= 1 AND "tokens_per_minute" >= 1);

CREATE TABLE "provider_key" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "provider" TEXT NOT NULL,
  "ciphertext" BYTEA NOT NULL,
  "nonce" BYTEA NOT NULL,
  "key_id" TEXT NOT NULL,
  "base_url" TEXT,
  "display" TEXT NOT NULL,
  "created_by" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "provider_key_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "provider_key_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "provider_key_nonce_check" CHECK (octet_length("nonce") = 12),
  CONSTRAINT "provider_key_display_check" CHECK (char_length("display") <= 4)
);
CREATE UNIQUE INDEX "provider_key_workspace_id_provider_key" ON "provider_key"("workspace_id", "provider");

-- All that inference may read of a workspace; of its API keys, only those with limits.
CREATE VIEW "workspace_inference_settings" AS
  SELECT
    w."id" AS workspace_id,
    coalesce(s."logging_enabled", false) AS logging_enabled,
    coalesce(s."response_cache", false) AS response_cache,
    coalesce(s."fallback_models", ARRAY[]::TEXT[]) AS fallback_models,
    s."requests_per_minute",
    s."tokens_per_minute",
    (
      SELECT coalesce(jsonb_object_agg(
        k."id", jsonb_build_object('requests_per_minute', k."requests_per_minute", 'tokens_per_minute', k."tokens_per_minute")
      ), '{}')
      FROM "api_key" k
      WHERE k."workspace_id" = w."id" AND k."revoked_at" IS NULL
        AND (k."requests_per_minute" IS NOT NULL OR k."tokens_per_minute" IS NOT NULL)
    ) AS key_limits
  FROM "workspace" w
  LEFT JOIN "workspace_settings" s ON s."workspace_id" = w."id";

GRANT SELECT ON "workspace_inference_settings" TO ratchet_inference;
GRANT SELECT ON "provider_key" TO ratchet_inference;
