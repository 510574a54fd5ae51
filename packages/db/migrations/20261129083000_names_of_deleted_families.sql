-- Segments whose last exchange was deleted. The name of a family is the beginning of a prompt, so the log removes it.
CREATE TABLE "segment_unused" (
  "workspace_id" UUID NOT NULL,
  "segment" TEXT NOT NULL,
  "deleted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  -- The name is left in the file of the table only.
  "is_unnamed" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "segment_unused_pkey" PRIMARY KEY ("workspace_id", "segment")
);
GRANT SELECT, UPDATE, DELETE ON "segment_unused" TO ratchet_logging;

-- By a trigger, so that no statement that deletes exchanges can forget it. In sorted order, to prevent deadlocks.
CREATE FUNCTION "note_unused_segments"() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO segment_unused (workspace_id, segment) SELECT workspace_id, segment FROM gone ORDER BY 1, 2
  ON CONFLICT (workspace_id, segment) DO UPDATE SET deleted_at = now(), is_unnamed = false;
  RETURN NULL;
END
$$;
CREATE TRIGGER "segment_unused" AFTER DELETE ON "segment_traffic" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "note_unused_segments"();

-- Writes the table again without removed names, unless it is larger. It does not wait long for others, because others wait
-- behind it. SECURITY DEFINER, because ratchet_logging owns no tables.
CREATE FUNCTION "rewrite_segment_families"("max_bytes" BIGINT) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public SET lock_timeout = '500ms' AS $$
BEGIN
  IF pg_total_relation_size('segment_family') <= max_bytes THEN
    CLUSTER segment_family USING segment_family_pkey;
  END IF;
END
$$;
REVOKE ALL ON FUNCTION "note_unused_segments"(), "rewrite_segment_families"(BIGINT) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "rewrite_segment_families"(BIGINT) TO ratchet_logging;
