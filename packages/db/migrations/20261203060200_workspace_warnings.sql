-- Warnings that webhooks get once: that a budget is nearly spent, and that a key expires soon.
CREATE TABLE "workspace_warning" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- The type of the event.
  "type" TEXT NOT NULL,
  -- What the warning is about, such as the window of a budget. Nobody is warned of it again.
  "about" TEXT NOT NULL,
  "data" JSONB NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  -- False once webhooks have it.
  "is_pending" BOOLEAN NOT NULL DEFAULT true,
  CONSTRAINT "workspace_warning_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "workspace_warning_about_key" ON "workspace_warning"("workspace_id", "type", "about");
CREATE INDEX "workspace_warning_pending_idx" ON "workspace_warning"("at", "id") WHERE "is_pending";
GRANT SELECT, INSERT, UPDATE ON "workspace_warning" TO ratchet_inference;

-- Keys of the gateway that are in force and expire.
CREATE VIEW "expiring_key" AS
  SELECT k."id", k."workspace_id", k."name", k."display", k."expires_at"
  FROM "api_key" k JOIN "workspace" w ON w."id" = k."workspace_id" AND w."disabled_at" IS NULL
  WHERE k."revoked_at" IS NULL AND k."surface" = 'gateway' AND k."expires_at" > now();
GRANT SELECT ON "expiring_key" TO ratchet_inference;
