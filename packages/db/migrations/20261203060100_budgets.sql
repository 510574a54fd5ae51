-- Budgets: what a workspace, a key, an end user or a tag may spend in a day, a week, a month or in all. Definitions are in the
-- main database, and what was spent and held under them in the ledger of the workspace.

CREATE TABLE "budget" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "scope" TEXT NOT NULL,
  -- The id of the key, the end user, or the tag; `*`: each one for itself; empty for the workspace.
  "subject" TEXT NOT NULL,
  "period" TEXT NOT NULL,
  -- Nano-dollars.
  "amount" BIGINT NOT NULL,
  -- The model or alias that answers while its maximum cost fits; null: the request is refused.
  "fallback_model" TEXT,
  -- Nano-dollars, of what is spent and held; null: nobody is told.
  "warn_at" BIGINT,
  "created_by" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "budget_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "budget_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "budget_scope_check" CHECK ("scope" IN ('workspace', 'key', 'user', 'tag')),
  CONSTRAINT "budget_subject_check" CHECK (("scope" = 'workspace') = ("subject" = '') AND char_length("subject") <= 128),
  CONSTRAINT "budget_period_check" CHECK ("period" IN ('day', 'week', 'month', 'total')),
  CONSTRAINT "budget_amount_check" CHECK ("amount" > 0 AND "warn_at" > 0)
);
CREATE UNIQUE INDEX "budget_workspace_id_scope_subject_period_key" ON "budget"("workspace_id", "scope", "subject", "period");

-- Spend in one window of a budget. A request counts in the window of its hold, whenever it ends. Triggers update the sums, so that
-- every statement that ends a request does. A row changes only while its wallet is locked.
CREATE TABLE "budget_window" (
  "wallet_id" UUID NOT NULL,
  "budget_id" UUID NOT NULL,
  -- Whose spend it is, where the budget is of each one; else empty.
  "subject" TEXT NOT NULL,
  "window_start" TIMESTAMPTZ(3) NOT NULL,
  -- The budget at the last hold.
  "amount" BIGINT NOT NULL,
  "spent" BIGINT NOT NULL DEFAULT 0,
  "held" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "budget_window_pkey" PRIMARY KEY ("wallet_id", "budget_id", "window_start", "subject"),
  CONSTRAINT "budget_window_amounts_check" CHECK ("spent" >= 0 AND "held" >= 0 AND "spent" + "held" <= "amount")
) WITH (fillfactor = 50);

ALTER TABLE "billing_request"
  ADD COLUMN "budget_ids" UUID[],
  ADD COLUMN "budget_subjects" TEXT[],
  ADD COLUMN "budget_windows" TIMESTAMPTZ(3)[];

CREATE FUNCTION "hold_budgets"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  found INTEGER;
BEGIN
  UPDATE "budget_window" b SET "held" = b."held" + NEW."hold"
  FROM unnest(NEW."budget_ids", NEW."budget_subjects", NEW."budget_windows") AS t("budget_id", "subject", "window_start")
  WHERE b."wallet_id" = NEW."wallet_id" AND b."budget_id" = t."budget_id" AND b."subject" = t."subject"
    AND b."window_start" = t."window_start";
  GET DIAGNOSTICS found = ROW_COUNT;
  IF found <> cardinality(NEW."budget_ids") THEN
    RAISE EXCEPTION 'request % names a budget that is not there', NEW."request_id"
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION "close_budgets"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "budget_window" b SET
    "held" = b."held" - CASE WHEN OLD."state" = 'open' THEN OLD."hold" ELSE 0 END,
    "spent" = b."spent" + NEW."cost" - coalesce(OLD."cost", 0)
  FROM unnest(OLD."budget_ids", OLD."budget_subjects", OLD."budget_windows") AS t("budget_id", "subject", "window_start")
  WHERE b."wallet_id" = OLD."wallet_id" AND b."budget_id" = t."budget_id" AND b."subject" = t."subject"
    AND b."window_start" = t."window_start";
  RETURN NULL;
END
$$;

-- For requests without a budget, which are nearly all, only the conditions are evaluated.
CREATE TRIGGER "billing_request_budgets_held" AFTER INSERT ON "billing_request"
  FOR EACH ROW WHEN (NEW."budget_ids" IS NOT NULL) EXECUTE FUNCTION "hold_budgets"();
CREATE TRIGGER "billing_request_budgets_closed" AFTER UPDATE OF "state" ON "billing_request"
  FOR EACH ROW WHEN (OLD."budget_ids" IS NOT NULL) EXECUTE FUNCTION "close_budgets"();
CREATE TRIGGER "billing_request_budgets_final" AFTER UPDATE OF "budget_ids", "budget_subjects", "budget_windows" ON "billing_request"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"('a request stays under its budgets');

GRANT SELECT, INSERT, UPDATE ON "budget_window" TO ratchet_inference;
GRANT SELECT ON "budget" TO ratchet_inference;
GRANT SELECT, INSERT, UPDATE, DELETE ON "budget" TO ratchet_dashboard;

-- Keys that expire, and keys for some models only: globs over names of aliases and ids of the catalog; empty: all.
ALTER TABLE "api_key"
  ADD COLUMN "allowed_models" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  DROP CONSTRAINT "api_key_expiry_check",
  ADD CONSTRAINT "api_key_models_check" CHECK (cardinality("allowed_models") <= CASE "surface" WHEN 'gateway' THEN 50 ELSE 0 END);

-- A key that expired is unknown by the clock of the database. Edges that remember it compare `expires_at` with their own.
CREATE OR REPLACE VIEW "api_key_identity" AS
  SELECT k."hash", k."id" AS key_id, k."workspace_id", k."user_id", m."role"::text AS role, k."expires_at"
  FROM "api_key" k
  JOIN "membership" m ON m."workspace_id" = k."workspace_id" AND m."user_id" = k."user_id"
  JOIN "workspace" w ON w."id" = k."workspace_id" AND w."disabled_at" IS NULL
  JOIN "app_user" u ON u."id" = k."user_id" AND u."disabled_at" IS NULL
  WHERE k."revoked_at" IS NULL AND k."surface" = 'gateway' AND (k."expires_at" IS NULL OR k."expires_at" > now());

DROP TRIGGER "api_key_changed" ON "api_key";
CREATE CONSTRAINT TRIGGER "api_key_changed" AFTER UPDATE ON "api_key" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD."id", OLD."workspace_id", OLD."user_id", OLD."hash", OLD."revoked_at", OLD."expires_at")
    IS DISTINCT FROM (NEW."id", NEW."workspace_id", NEW."user_id", NEW."hash", NEW."revoked_at", NEW."expires_at"))
  EXECUTE FUNCTION "note_key_change"();
ALTER TABLE "api_key" ENABLE ALWAYS TRIGGER "api_key_changed";

-- Adds the models of keys, and the budgets.
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
    coalesce(s."log_responses", false) AS log_responses,
    (
      SELECT coalesce(jsonb_object_agg(k."id", to_jsonb(k."allowed_models")), '{}')
      FROM "api_key" k
      WHERE k."workspace_id" = w."id" AND k."revoked_at" IS NULL AND k."allowed_models" <> ARRAY[]::TEXT[]
    ) AS key_models,
    (
      SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', b."id", 'scope', b."scope", 'subject', b."subject", 'period', b."period", 'amount', b."amount"::text,
        'fallback_model', b."fallback_model"
      ) ORDER BY b."id"), '[]')
      FROM "budget" b WHERE b."workspace_id" = w."id"
    ) AS budgets
  FROM "workspace" w
  LEFT JOIN "workspace_settings" s ON s."workspace_id" = w."id";
