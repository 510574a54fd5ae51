-- Logged requests of a workspace that were charged and did not arrive in the log, by day (UTC).
CREATE TABLE "lost_capture" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "workspace_id" UUID NOT NULL,
  "day" DATE NOT NULL,
  "requests" INTEGER NOT NULL,
  "found_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "lost_capture_pkey" PRIMARY KEY ("workspace_id", "day"),
  CONSTRAINT "lost_capture_requests_check" CHECK ("requests" > 0)
);
GRANT SELECT, INSERT, UPDATE ON "lost_capture" TO ratchet_logging;

-- What people of a workspace are told about. Owners get a mail, or the person who started it where `for_user` names one.
CREATE VIEW "workspace_event" AS
  SELECT "workspace_id", "id" AS "event_id", 'alias.' || substr("kind"::text, 6) AS "kind", "alias_name" AS "name",
    NULL::uuid AS "criterion_id", NULL::integer AS "requests", NULL::uuid AS "for_user", "created_at" AS "changed_at"
  FROM "alias_event" WHERE "kind" IN ('gate_promote', 'gate_rollback', 'gate_family_rollback')
  UNION ALL
  SELECT r."workspace_id", r."id", CASE r."status" WHEN 'DONE' THEN 'scan.done' ELSE 'scan.failed' END, c."name",
    c."id", NULL, r."created_by", r."finished_at"
  FROM "judge_run" r JOIN "criterion" c ON c."id" = r."criterion_id"
  WHERE r."kind" = 'scan' AND r."status" IN ('DONE', 'FAILED') AND r."finished_at" IS NOT NULL
  UNION ALL
  SELECT "workspace_id", "id", 'log.lost', "day"::text, NULL, "requests", NULL, "found_at" FROM "lost_capture";

-- One mail for each recipient and event.
CREATE TABLE "event_notice" (
  "workspace_id" UUID NOT NULL,
  "event_id" UUID NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL,
  "user_id" UUID NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "event_notice_pkey" PRIMARY KEY ("event_id", "changed_at", "user_id")
);
CREATE INDEX "event_notice_due_idx" ON "event_notice"("due_at") WHERE "sent_at" IS NULL;
CREATE INDEX "judge_run_scan_idx" ON "judge_run"("workspace_id", "finished_at") WHERE "kind" = 'scan';
GRANT SELECT ON "workspace_event" TO ratchet_dashboard;
GRANT SELECT, INSERT, UPDATE, DELETE ON "event_notice" TO ratchet_dashboard;
