-- Changes that the mounts of endpoints record. A row is written before the change is made, and becomes an event of the audit
-- when it was made. So there is no change without an entry, also when the process dies in between.
CREATE TABLE "begun_change" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "action" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "user_id" UUID,
  "key_id" UUID,
  "request_id" TEXT NOT NULL,
  "begun_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "begun_change_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "begun_change_begun_at_idx" ON "begun_change"("begun_at");

-- The key with which a change was made; null for people on pages and for operators.
ALTER TABLE "audit_event" ADD COLUMN "key_id" UUID;

CREATE FUNCTION "begin_change"(
  "id" UUID, "workspace" UUID, "action" TEXT, "subject" TEXT, "by_user" UUID, "by_key" UUID, "request" TEXT, "at" TIMESTAMPTZ
) RETURNS VOID LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  INSERT INTO begun_change (id, workspace_id, action, subject, user_id, key_id, request_id, begun_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
$$;

-- `made` has what is known of the change, as JSON; null: nothing was changed.
CREATE FUNCTION "end_change"("id" UUID, "workspace" UUID, "subject" TEXT, "made" TEXT) RETURNS VOID
LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  WITH ended AS (
    DELETE FROM begun_change b WHERE b.id = $1 AND b.workspace_id = $2 RETURNING *
  )
  INSERT INTO audit_event (id, workspace_id, user_id, key_id, action, subject, after, request_id, created_at)
    SELECT e.id, e.workspace_id, e.user_id, e.key_id, e.action, coalesce($3, e.subject), $4, e.request_id, e.begun_at
    FROM ended e WHERE $4 IS NOT NULL
$$;

-- Changes whose process died before it could say what became of them.
CREATE FUNCTION "end_lost_changes"("before" TIMESTAMPTZ) RETURNS BIGINT LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  WITH ended AS (
    DELETE FROM begun_change b WHERE b.begun_at < $1 RETURNING *
  ), sealed AS (
    INSERT INTO audit_event (id, workspace_id, user_id, key_id, action, subject, after, request_id, created_at)
      SELECT e.id, e.workspace_id, e.user_id, e.key_id, e.action, e.subject, '{"outcome":"unknown"}', e.request_id, e.begun_at
      FROM ended e ORDER BY e.workspace_id, e.begun_at, e.id
      RETURNING 1
  )
  SELECT count(*) FROM sealed
$$;

REVOKE ALL ON FUNCTION "begin_change"(UUID, UUID, TEXT, TEXT, UUID, UUID, TEXT, TIMESTAMPTZ) FROM PUBLIC;
REVOKE ALL ON FUNCTION "end_change"(UUID, UUID, TEXT, TEXT) FROM PUBLIC;
REVOKE ALL ON FUNCTION "end_lost_changes"(TIMESTAMPTZ) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "begin_change"(UUID, UUID, TEXT, TEXT, UUID, UUID, TEXT, TIMESTAMPTZ)
  TO ratchet_alias, ratchet_eval, ratchet_inference, ratchet_judging, ratchet_logging, ratchet_training, ratchet_voice;
GRANT EXECUTE ON FUNCTION "end_change"(UUID, UUID, TEXT, TEXT)
  TO ratchet_alias, ratchet_eval, ratchet_inference, ratchet_judging, ratchet_logging, ratchet_training, ratchet_voice;
GRANT EXECUTE ON FUNCTION "end_lost_changes"(TIMESTAMPTZ) TO ratchet_dashboard;

CREATE OR REPLACE VIEW "workspace_audit" AS
  SELECT workspace_id, created_at, id, action, user_id, key_id, subject, before, after, request_id
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
