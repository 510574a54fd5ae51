-- Operators disable people and workspaces: their keys and sessions are refused for requests that begin after the commit.
ALTER TABLE "app_user" ADD COLUMN "disabled_at" TIMESTAMPTZ(3);
ALTER TABLE "workspace" ADD COLUMN "disabled_at" TIMESTAMPTZ(3);

CREATE OR REPLACE VIEW "api_key_identity" AS
  SELECT k."hash", k."id" AS key_id, k."workspace_id", k."user_id", m."role"::text AS role
  FROM "api_key" k
  JOIN "membership" m ON m."workspace_id" = k."workspace_id" AND m."user_id" = k."user_id"
  JOIN "workspace" w ON w."id" = k."workspace_id" AND w."disabled_at" IS NULL
  JOIN "app_user" u ON u."id" = k."user_id" AND u."disabled_at" IS NULL
  WHERE k."revoked_at" IS NULL;

-- As note_key_change(), for rows whose own id says whose keys changed: those of one user, or, for a workspace, all.
CREATE FUNCTION "note_disabled_change"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  next_version BIGINT;
BEGIN
  PERFORM pg_advisory_xact_lock(7402315027);
  next_version := nextval('key_version');
  INSERT INTO key_change (version, user_id)
    VALUES (next_version, CASE TG_TABLE_NAME WHEN 'app_user' THEN OLD.id END);
  DELETE FROM key_change WHERE version <= next_version - 100;
  PERFORM pg_notify('ratchet_key_change', '');
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER "app_user_disabled" AFTER UPDATE ON "app_user" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD."disabled_at" IS DISTINCT FROM NEW."disabled_at") EXECUTE FUNCTION "note_disabled_change"();
CREATE CONSTRAINT TRIGGER "workspace_disabled" AFTER UPDATE ON "workspace" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD."disabled_at" IS DISTINCT FROM NEW."disabled_at") EXECUTE FUNCTION "note_disabled_change"();
ALTER TABLE "app_user" ENABLE ALWAYS TRIGGER "app_user_disabled";
ALTER TABLE "workspace" ENABLE ALWAYS TRIGGER "workspace_disabled";

-- Background work as operators see it, in numbers and reasons. Each figure is read separately, from a small index. Samples of
-- a cancelled eval and requests for a removed shadow remain, but are not processed.
CREATE VIEW "work_queue" AS
  SELECT 1 AS position, 'judgements' AS queue,
    (SELECT count(*)::int FROM judgement WHERE state = 'pending') AS pending, d.rows AS due, d.oldest AS oldest_due_at,
    (SELECT count(*)::int FROM judgement WHERE state = 'leased') AS leased,
    (SELECT count(*)::int FROM judgement WHERE state = 'poisoned') AS dead_lettered
  FROM (SELECT count(*)::int AS rows, min(due_at) AS oldest FROM judgement
    WHERE state IN ('pending', 'leased') AND due_at <= now()) AS d
  UNION ALL
  SELECT 2, 'eval samples', s.pending, s.due, s.oldest, s.leased,
    (SELECT count(*)::int FROM eval_sample WHERE state = 'poisoned')
  FROM (
    SELECT count(*) FILTER (WHERE s.state = 'pending')::int AS pending, count(*) FILTER (WHERE s.state = 'leased')::int AS leased,
      count(*) FILTER (WHERE s.due_at <= now())::int AS due, min(s.due_at) FILTER (WHERE s.due_at <= now()) AS oldest
    FROM eval_run r JOIN eval_sample s ON s.run_id = r.id
    WHERE s.state IN ('pending', 'leased')
      AND (r.status IN ('PENDING', 'RUNNING') OR (r.status = 'CANCELLED' AND r.report IS NULL))
      AND (r.status <> 'CANCELLED' OR (s.state = 'leased' AND s.due_at > now()))
  ) AS s
  UNION ALL
  SELECT 3, 'mirrored requests', s.pending, s.due, s.oldest, s.leased,
    (SELECT count(*)::int FROM shadow_sample WHERE state = 'poisoned')
  FROM (
    SELECT count(*) FILTER (WHERE s.state = 'pending')::int AS pending, count(*) FILTER (WHERE s.state = 'leased')::int AS leased,
      count(*) FILTER (WHERE s.due_at <= now())::int AS due, min(s.due_at) FILTER (WHERE s.due_at <= now()) AS oldest
    FROM shadow_sample s
    JOIN alias a ON a.id = s.alias_id AND a.shadow_model = s.model AND a.shadow_percent > 0
    WHERE s.state IN ('pending', 'leased')
  ) AS s;

-- Why work was dead-lettered. Only judgements of monitored traffic can be retried: the others belong to a run that has
-- counted them, or to a request that is over.
CREATE VIEW "dead_letter" AS
  SELECT 'judgements' AS queue, source::text AS source, workspace_id, coalesce(last_error, '') AS error,
    (source = 'online' AND run_id IS NULL) AS can_retry, count(*)::int AS count, min(id::text) AS example
  FROM judgement WHERE state = 'poisoned' GROUP BY 2, 3, 4, 5
  UNION ALL
  SELECT 'eval samples', NULL, workspace_id, coalesce(last_error, ''), false, count(*)::int, min(id::text)
  FROM eval_sample WHERE state = 'poisoned' GROUP BY 3, 4
  UNION ALL
  SELECT 'mirrored requests', NULL, workspace_id, coalesce(last_error, ''), false, count(*)::int, min(id::text)
  FROM shadow_sample WHERE state = 'poisoned' GROUP BY 3, 4;

-- Retries dead-lettered judgements of a workspace's monitored traffic, as if they were new. SECURITY DEFINER, because the
-- table belongs to judging: an operator may do nothing else to it.
CREATE FUNCTION "retry_judgements"("workspace" UUID, "reason" TEXT) RETURNS INT
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  retried INT;
BEGIN
  UPDATE judgement SET state = 'pending', due_at = now(), attempts = 0, failures = 0, last_error = NULL
  WHERE state = 'poisoned' AND source = 'online' AND run_id IS NULL AND workspace_id = $1 AND coalesce(last_error, '') = $2;
  GET DIAGNOSTICS retried = ROW_COUNT;
  RETURN retried;
END
$$;
REVOKE ALL ON FUNCTION "retry_judgements"(UUID, TEXT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "retry_judgements"(UUID, TEXT) TO ratchet_dashboard;
GRANT SELECT ON "work_queue", "dead_letter" TO ratchet_dashboard;
