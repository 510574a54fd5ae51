-- An alias may treat requests of one prompt family differently from the others.
-- JSON text; null: no rules.
ALTER TABLE "alias" ADD COLUMN "family_rules" TEXT;
CREATE OR REPLACE VIEW "alias_route" AS
  SELECT "workspace_id", "id", "name", "target_model", "canary_model", "canary_percent", "sticky_by", "epoch", "family_rules"
  FROM "alias";
-- The gate rolled back one family and continues with the others.
ALTER TYPE "alias_event_kind" ADD VALUE IF NOT EXISTS 'gate_family_rollback' AFTER 'gate_rollback';
