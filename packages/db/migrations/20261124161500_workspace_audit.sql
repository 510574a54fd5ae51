-- What people, keys and gates changed in a workspace, whoever owns the table, for the dashboard. Each part is read by its
-- index, so that a page of a long audit does not read all of it.
CREATE INDEX "audit_event_newest_idx" ON "audit_event"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "criterion_event_time_idx" ON "criterion_event"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "alias_event_time_idx" ON "alias_event"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "top_up_time_idx" ON "top_up"("workspace_id", "created_at" DESC, "id" DESC);

CREATE VIEW "workspace_audit" AS
  SELECT workspace_id, created_at, id, action, user_id, NULL::uuid AS key_id, subject, before, after, request_id
  FROM audit_event
  UNION ALL
  SELECT workspace_id, created_at, id, 'judge.' || CASE kind WHEN 'create' THEN 'created' WHEN 'update' THEN 'changed' ELSE 'deleted' END,
    user_id, key_id, criterion_id::text, before, after, request_id
  FROM criterion_event
  UNION ALL
  SELECT workspace_id, created_at, id, 'alias.' || kind::text, user_id, key_id, alias_name, before, after, request_id
  FROM alias_event
  UNION ALL
  SELECT workspace_id, created_at, id, 'wallet.top_up_begun', created_by, NULL, id::text, NULL,
    json_build_object('amount_nano', amount::text, 'status', status)::text, NULL
  FROM top_up;
GRANT SELECT ON "workspace_audit" TO ratchet_dashboard;
