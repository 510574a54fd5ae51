-- One log of what people, keys, gates and operators changed in a workspace: each entry is sealed with the hash of the one before,
-- so that none can be changed, left out or added between others without breaking all that follow.

-- The last entry of each workspace. Its row is locked by who adds an entry, so the entries of a workspace have an order.
CREATE TABLE "audit_head" (
  "workspace_id" UUID NOT NULL,
  "position" BIGINT NOT NULL,
  "hash" BYTEA NOT NULL,
  CONSTRAINT "audit_head_pkey" PRIMARY KEY ("workspace_id")
);

CREATE TABLE "audit_log" (
  "workspace_id" UUID NOT NULL,
  -- From 1, without gaps.
  "position" BIGINT NOT NULL,
  -- JSON.
  "content" TEXT NOT NULL,
  -- SHA-256 of the content.
  "digest" BYTEA NOT NULL,
  -- SHA-256 of the hash before (32 zero bytes before the first), the position (8 bytes, big-endian) and the digest.
  "hash" BYTEA NOT NULL,
  CONSTRAINT "audit_log_pkey" PRIMARY KEY ("workspace_id", "position")
);
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('entries are only ever added');

-- SECURITY DEFINER, because services that write their own events have no right to the log.
CREATE FUNCTION "seal_audit"("workspace" UUID, "content" TEXT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public AS $$
DECLARE
  head RECORD;
  digest BYTEA := sha256(convert_to($2, 'UTF8'));
  next_hash BYTEA;
BEGIN
  INSERT INTO audit_head (workspace_id, position, hash) VALUES ($1, 0, decode(repeat('00', 32), 'hex'))
    ON CONFLICT (workspace_id) DO NOTHING;
  SELECT h.position, h.hash INTO head FROM audit_head h WHERE h.workspace_id = $1 FOR UPDATE;
  next_hash := sha256(head.hash || int8send(head.position + 1) || digest);
  INSERT INTO audit_log (workspace_id, position, content, digest, hash)
    VALUES ($1, head.position + 1, $2, digest, next_hash);
  UPDATE audit_head h SET position = head.position + 1, hash = next_hash WHERE h.workspace_id = $1;
END
$$;
REVOKE ALL ON FUNCTION "seal_audit"(UUID, TEXT) FROM PUBLIC;

-- The entry of an event, as the view `workspace_audit` has it.
CREATE FUNCTION "audit_content"("source" TEXT, "event" JSONB) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object(
    'id', event -> 'id',
    'at', event -> 'created_at',
    'action', CASE source
      WHEN 'audit_event' THEN event ->> 'action'
      WHEN 'criterion_event' THEN 'judge.' || CASE event ->> 'kind' WHEN 'create' THEN 'created' WHEN 'update' THEN 'changed' ELSE 'deleted' END
      WHEN 'alias_event' THEN 'alias.' || (event ->> 'kind')
      ELSE 'wallet.top_up_begun' END,
    'user_id', CASE source WHEN 'top_up' THEN event -> 'created_by' ELSE event -> 'user_id' END,
    'key_id', event -> 'key_id',
    'subject', CASE source
      WHEN 'audit_event' THEN event -> 'subject'
      WHEN 'criterion_event' THEN event -> 'criterion_id'
      WHEN 'alias_event' THEN event -> 'alias_name'
      ELSE event -> 'id' END,
    'before', event -> 'before',
    'after', CASE source WHEN 'top_up' THEN to_jsonb(jsonb_build_object('amount_nano', event -> 'amount')::text) ELSE event -> 'after' END,
    'request_id', event -> 'request_id'
  )::text
$$;

CREATE FUNCTION "seal_event"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public SET timezone = 'UTC' AS $$
BEGIN
  PERFORM seal_audit(NEW.workspace_id, audit_content(TG_TABLE_NAME, to_jsonb(NEW)));
  RETURN NULL;
END
$$;

-- At the commit, so that the lock of the head is short and comes after all locks of rows.
CREATE CONSTRAINT TRIGGER "audit_event_sealed" AFTER INSERT ON "audit_event" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION "seal_event"();
CREATE CONSTRAINT TRIGGER "criterion_event_sealed" AFTER INSERT ON "criterion_event" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION "seal_event"();
CREATE CONSTRAINT TRIGGER "alias_event_sealed" AFTER INSERT ON "alias_event" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION "seal_event"();
CREATE CONSTRAINT TRIGGER "top_up_sealed" AFTER INSERT ON "top_up" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION "seal_event"();

-- What was recorded before, in the order of its time.
SET timezone = 'UTC';
DO $$
DECLARE
  e RECORD;
BEGIN
  FOR e IN
    SELECT workspace_id, created_at, id, 'audit_event' AS source, to_jsonb(x) AS event FROM audit_event x
    UNION ALL SELECT workspace_id, created_at, id, 'criterion_event', to_jsonb(x) FROM criterion_event x
    UNION ALL SELECT workspace_id, created_at, id, 'alias_event', to_jsonb(x) FROM alias_event x
    UNION ALL SELECT workspace_id, created_at, id, 'top_up', to_jsonb(x) FROM top_up x
    ORDER BY 1, 2, 3
  LOOP
    PERFORM seal_audit(e.workspace_id, audit_content(e.source, e.event));
  END LOOP;
END
$$;
RESET timezone;

GRANT SELECT ON "audit_log" TO ratchet_dashboard;
