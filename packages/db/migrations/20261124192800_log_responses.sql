-- Whether exchanges of the Responses API are logged too, while logging is on.
ALTER TABLE "workspace_settings" ADD COLUMN "log_responses" BOOLEAN NOT NULL DEFAULT false;

-- Adds log_responses.
CREATE OR REPLACE VIEW "workspace_inference_settings" AS
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
    ) AS key_limits,
    coalesce(s."retention_days", 30) AS retention_days,
    coalesce(s."log_responses", false) AS log_responses
  FROM "workspace" w
  LEFT JOIN "workspace_settings" s ON s."workspace_id" = w."id";
