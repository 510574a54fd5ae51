-- Several processes change the segments of a workspace. Each reads the newer revisions of the others, in the order of
-- founding.
CREATE SEQUENCE "segment_family_revision_seq" AS BIGINT;
ALTER TABLE "segment_family"
  ADD COLUMN "founding" BIGINT NOT NULL DEFAULT nextval('segment_family_revision_seq'),
  ADD COLUMN "revision" BIGINT NOT NULL DEFAULT nextval('segment_family_revision_seq');
ALTER SEQUENCE "segment_family_revision_seq" OWNED BY "segment_family"."revision";
CREATE INDEX "segment_family_revision_idx" ON "segment_family"("workspace_id", "revision");
GRANT USAGE ON SEQUENCE "segment_family_revision_seq" TO ratchet_logging;

-- Segments exist as long as their workspace. Returns the number of deleted segments.
CREATE FUNCTION "drop_families_of_deleted_workspaces"() RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
DECLARE
  dropped INTEGER;
BEGIN
  DELETE FROM segment_family f WHERE NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = f.workspace_id);
  GET DIAGNOSTICS dropped = ROW_COUNT;
  RETURN dropped;
END
$$;
REVOKE ALL ON FUNCTION "drop_families_of_deleted_workspaces"() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION "drop_families_of_deleted_workspaces"() TO ratchet_logging;
