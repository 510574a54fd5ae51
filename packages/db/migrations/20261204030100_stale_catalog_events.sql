-- Old prices are among what people are told about. Owners get a mail.
CREATE OR REPLACE VIEW "workspace_event" AS
  SELECT "workspace_id", "id" AS "event_id", 'alias.' || substr("kind"::text, 6) AS "kind", "alias_name" AS "name",
    NULL::uuid AS "criterion_id", NULL::integer AS "requests", NULL::uuid AS "for_user", "created_at" AS "changed_at"
  FROM "alias_event" WHERE "kind" IN ('gate_promote', 'gate_rollback', 'gate_family_rollback')
  UNION ALL
  SELECT r."workspace_id", r."id", CASE r."status" WHEN 'DONE' THEN 'scan.done' ELSE 'scan.failed' END, c."name",
    c."id", NULL, r."created_by", r."finished_at"
  FROM "judge_run" r JOIN "criterion" c ON c."id" = r."criterion_id"
  WHERE r."kind" = 'scan' AND r."status" IN ('DONE', 'FAILED') AND r."finished_at" IS NOT NULL
  UNION ALL
  SELECT "workspace_id", "id", 'log.lost', "day"::text, NULL, "requests", NULL, "found_at" FROM "lost_capture"
  UNION ALL
  SELECT "workspace_id", "id", "type", "data" ->> 'as_of', NULL, NULL, NULL, "at"
  FROM "workspace_warning" WHERE "type" = 'catalog.stale';
