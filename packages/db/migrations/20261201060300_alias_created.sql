-- The audit calls the creation of an alias by its name. Rows of before stay as they are, and are shown as creations too.
ALTER TYPE "alias_event_kind" ADD VALUE IF NOT EXISTS 'created' BEFORE 'repoint';

CREATE OR REPLACE VIEW "workspace_audit" AS
  SELECT workspace_id, created_at, id, action, user_id, NULL::uuid AS key_id, subject, before, after, request_id
  FROM audit_event
  UNION ALL
  SELECT workspace_id, created_at, id, 'judge.' || CASE kind WHEN 'create' THEN 'created' WHEN 'update' THEN 'changed' ELSE 'deleted' END,
    user_id, key_id, criterion_id::text, before, after, request_id
  FROM criterion_event
  UNION ALL
  SELECT workspace_id, created_at, id,
    'alias.' || CASE WHEN kind::text = 'repoint' AND before IS NULL THEN 'created' ELSE kind::text END,
    user_id, key_id, alias_name, before, after, request_id
  FROM alias_event
  UNION ALL
  SELECT workspace_id, created_at, id, 'wallet.top_up_begun', created_by, NULL, id::text, NULL,
    json_build_object('amount_nano', amount::text, 'status', status)::text, NULL
  FROM top_up;
