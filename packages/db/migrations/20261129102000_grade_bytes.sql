-- In the order in which grades are stored, so that a migration beside running services waits and is tried again.
LOCK TABLE "stored_bytes", "label", "review_grade" IN SHARE ROW EXCLUSIVE MODE;

-- Grades are only ever added to, too, and a rationale may be long. The texts of their rows count as stored bytes, as the
-- snapshots of what was graded do. The bytes of one statement are counted together.
CREATE FUNCTION "count_row_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  changed RECORD;
BEGIN
  FOR changed IN
    SELECT c."workspace_id" AS workspace, sum(octet_length(column_of.value))::bigint AS bytes
    FROM "changed_rows" c, jsonb_each_text(to_jsonb(c)) AS column_of GROUP BY 1 ORDER BY 1
  LOOP
    PERFORM "count_stored_bytes"(changed.workspace, 'infinity', changed.bytes);
  END LOOP;
  RETURN NULL;
END
$$;
CREATE TRIGGER "label_bytes_counted" AFTER INSERT ON "label" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_row_bytes"();
CREATE TRIGGER "review_grade_bytes_counted" AFTER INSERT ON "review_grade" REFERENCING NEW TABLE AS "changed_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_row_bytes"();

INSERT INTO "stored_bytes" AS s
  SELECT "workspace_id", 'infinity', sum("bytes") FROM (
    SELECT l."workspace_id", octet_length(column_of.value)::bigint AS bytes
    FROM "label" l, jsonb_each_text(to_jsonb(l)) AS column_of
    UNION ALL
    SELECT g."workspace_id", octet_length(column_of.value)::bigint
    FROM "review_grade" g, jsonb_each_text(to_jsonb(g)) AS column_of
  ) AS stored GROUP BY "workspace_id"
  ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = s."bytes" + excluded."bytes";
