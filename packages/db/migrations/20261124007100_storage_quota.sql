-- Bytes that a workspace stores free of charge: files, datasets, and imported log entries until they expire.
CREATE TABLE "stored_bytes" (
  "workspace_id" UUID NOT NULL,
  -- The day on which they are deleted; infinity for what stays until it is deleted by request.
  "expires_on" DATE NOT NULL,
  "bytes" BIGINT NOT NULL,
  CONSTRAINT "stored_bytes_pkey" PRIMARY KEY ("workspace_id", "expires_on")
);
GRANT SELECT, INSERT, UPDATE, DELETE ON "stored_bytes" TO ratchet_logging;

-- Counts bytes, and fails with RQ001 when the workspace would store more than its quota. One row of the workspace is locked
-- first, so that the bytes of concurrent statements are counted one after the other. The function runs inside the statement
-- that stores the bytes: either both happen or none.
CREATE FUNCTION "count_stored_bytes"("workspace" UUID, "day" DATE, "added" BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
  quota BIGINT;
BEGIN
  INSERT INTO "stored_bytes" AS s VALUES ("workspace", 'infinity', 0)
    ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = s."bytes";
  INSERT INTO "stored_bytes" AS s VALUES ("workspace", "day", greatest(0, "added"))
    ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = greatest(0, s."bytes" + "added");
  IF "added" <= 0 THEN RETURN; END IF;
  DELETE FROM "stored_bytes" s WHERE s."workspace_id" = "workspace" AND s."expires_on" < current_date;
  SELECT w."max_storage_gb" * 1073741824::bigint INTO quota FROM "workspace_logging_settings" w WHERE w."workspace_id" = "workspace";
  IF (SELECT sum(s."bytes") FROM "stored_bytes" s WHERE s."workspace_id" = "workspace") > quota THEN
    RAISE EXCEPTION 'the storage quota of the workspace is used up' USING ERRCODE = 'RQ001';
  END IF;
END
$$;

-- Counts a column of bytes, whichever statement changes it. The argument names the column.
CREATE FUNCTION "count_bytes_of_row"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  before BIGINT := 0;
  after BIGINT := 0;
BEGIN
  IF TG_OP <> 'INSERT' THEN before := (to_jsonb(OLD) ->> TG_ARGV[0])::bigint; END IF;
  IF TG_OP <> 'DELETE' THEN after := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint; END IF;
  IF after <> before THEN
    PERFORM "count_stored_bytes"(CASE TG_OP WHEN 'DELETE' THEN OLD."workspace_id" ELSE NEW."workspace_id" END, 'infinity', after - before);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "file_bytes_counted" AFTER INSERT OR UPDATE OR DELETE ON "file"
  FOR EACH ROW EXECUTE FUNCTION "count_bytes_of_row"('bytes');
CREATE TRIGGER "dataset_bytes_counted" AFTER INSERT OR UPDATE OR DELETE ON "dataset"
  FOR EACH ROW EXECUTE FUNCTION "count_bytes_of_row"('size_bytes');

INSERT INTO "stored_bytes"
  SELECT "workspace_id", 'infinity', sum("bytes") FROM (
    SELECT "workspace_id", "bytes" FROM "file" UNION ALL SELECT "workspace_id", "size_bytes" FROM "dataset"
  ) AS stored GROUP BY "workspace_id";

-- Last, to lock this table only briefly: inference reads it all the time.
ALTER TABLE "workspace_settings" ADD COLUMN "max_storage_gb" INTEGER CHECK ("max_storage_gb" >= 1);
CREATE OR REPLACE VIEW "workspace_logging_settings" AS
  SELECT w."id" AS workspace_id, w."slug", w."name",
    coalesce(s."logging_enabled", false) AS logging_enabled,
    coalesce(s."retention_days", 30) AS retention_days,
    coalesce(s."max_storage_gb", 10) AS max_storage_gb
  FROM "workspace" w
  LEFT JOIN "workspace_settings" s ON s."workspace_id" = w."id";
