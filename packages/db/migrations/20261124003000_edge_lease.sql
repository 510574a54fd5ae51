-- Edges answer from keys that they read before, while they hold a lease. See docs/adr/0027.

-- The timeline of Postgres' log. It changes when a standby is promoted, which may have lost the last commits.
CREATE FUNCTION "current_timeline"() RETURNS TEXT LANGUAGE sql STABLE AS $$
  SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
$$;

-- Timelines in which no lease of the timeline before can be valid any more. The first command that changes a key in a
-- new timeline waits until that is so.
CREATE TABLE "key_timeline" (
  "name" TEXT NOT NULL,
  CONSTRAINT "key_timeline_pkey" PRIMARY KEY ("name")
);
INSERT INTO "key_timeline" SELECT "current_timeline"();

-- What edges must read again. The newest hundred versions are kept.
CREATE SEQUENCE "key_version";
CREATE TABLE "key_change" (
  "version" BIGINT NOT NULL,
  -- Whose keys; null: all keys.
  "user_id" UUID,
  CONSTRAINT "key_change_pkey" PRIMARY KEY ("version")
);

-- One row for each edge that answers from keys that it read before. `renewals` changes with every renewal, so that a
-- command notices one without comparing clocks.
CREATE TABLE "edge_lease" (
  "id" UUID NOT NULL,
  "timeline" TEXT NOT NULL,
  "acked_version" BIGINT NOT NULL,
  "renewals" BIGINT NOT NULL DEFAULT 0,
  "renewed_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "edge_lease_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000);

-- The lock lasts until the commit is visible, so versions become visible in their order: an edge that has seen a
-- version has seen all before it. The trigger runs at the commit, so that the lock is short and comes after all
-- locks of rows. SECURITY DEFINER, because those who change keys own none of these tables.
CREATE FUNCTION "note_key_change"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  next_version BIGINT;
BEGIN
  PERFORM pg_advisory_xact_lock(7402315027);
  next_version := nextval('key_version');
  INSERT INTO key_change (version, user_id) VALUES (next_version,
    CASE TG_OP WHEN 'TRUNCATE' THEN NULL WHEN 'INSERT' THEN NEW.user_id ELSE OLD.user_id END);
  DELETE FROM key_change WHERE version <= next_version - 100;
  PERFORM pg_notify('ratchet_key_change', '');
  RETURN NULL;
END
$$;

-- A new key is not known to any edge. A new membership makes keys valid that an edge may remember as unknown.
CREATE CONSTRAINT TRIGGER "api_key_changed" AFTER UPDATE ON "api_key" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD."id", OLD."workspace_id", OLD."user_id", OLD."hash", OLD."revoked_at")
    IS DISTINCT FROM (NEW."id", NEW."workspace_id", NEW."user_id", NEW."hash", NEW."revoked_at"))
  EXECUTE FUNCTION "note_key_change"();
CREATE CONSTRAINT TRIGGER "api_key_deleted" AFTER DELETE ON "api_key" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION "note_key_change"();
CREATE TRIGGER "api_key_truncated" AFTER TRUNCATE ON "api_key" EXECUTE FUNCTION "note_key_change"();
CREATE CONSTRAINT TRIGGER "membership_changed" AFTER UPDATE ON "membership" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD."workspace_id", OLD."user_id", OLD."role") IS DISTINCT FROM (NEW."workspace_id", NEW."user_id", NEW."role"))
  EXECUTE FUNCTION "note_key_change"();
CREATE CONSTRAINT TRIGGER "membership_created" AFTER INSERT ON "membership" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION "note_key_change"();
CREATE CONSTRAINT TRIGGER "membership_deleted" AFTER DELETE ON "membership" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  EXECUTE FUNCTION "note_key_change"();
CREATE TRIGGER "membership_truncated" AFTER TRUNCATE ON "membership" EXECUTE FUNCTION "note_key_change"();

-- Also for changes that replication applies.
ALTER TABLE "api_key" ENABLE ALWAYS TRIGGER "api_key_changed";
ALTER TABLE "api_key" ENABLE ALWAYS TRIGGER "api_key_deleted";
ALTER TABLE "api_key" ENABLE ALWAYS TRIGGER "api_key_truncated";
ALTER TABLE "membership" ENABLE ALWAYS TRIGGER "membership_changed";
ALTER TABLE "membership" ENABLE ALWAYS TRIGGER "membership_created";
ALTER TABLE "membership" ENABLE ALWAYS TRIGGER "membership_deleted";
ALTER TABLE "membership" ENABLE ALWAYS TRIGGER "membership_truncated";

GRANT SELECT, INSERT, UPDATE, DELETE ON "edge_lease" TO ratchet_edge;
GRANT SELECT ON "key_change" TO ratchet_edge;
