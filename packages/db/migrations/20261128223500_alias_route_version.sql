-- Inference reads the aliases of a workspace only after one was written. The id of the transaction that wrote the row last
-- differs whenever any column may.
CREATE OR REPLACE VIEW "alias_route" AS
  SELECT "workspace_id", "id", "name", "target_model", "canary_model", "canary_percent", "sticky_by", "epoch", "family_rules",
    "xmin"::text AS "row_version"
  FROM "alias";
