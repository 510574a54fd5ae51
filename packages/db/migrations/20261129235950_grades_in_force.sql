-- In the order in which grades are stored, so that a migration beside running services waits and is tried again.
LOCK TABLE "label" IN SHARE ROW EXCLUSIVE MODE;

-- Grades of each judge that none supersedes. They were counted whenever grades were added, under the lock of the workspace:
-- the more grades, the longer. Grades without a judge have the id of zeros.
CREATE TABLE "grades_in_force" (
  "workspace_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  "grades" INTEGER NOT NULL,
  CONSTRAINT "grades_in_force_pkey" PRIMARY KEY ("workspace_id", "criterion_id")
);
GRANT SELECT ON "grades_in_force" TO ratchet_judging;

-- SECURITY DEFINER, because those who add grades have no right to change the counts. All grades of one statement are counted
-- together, in the order of the judges, so that two statements never wait for each other.
CREATE FUNCTION "count_grades"(direction INTEGER, workspaces UUID[], criteria UUID[]) RETURNS VOID LANGUAGE sql
SECURITY DEFINER SET search_path = public AS $$
  INSERT INTO "grades_in_force" AS g
    SELECT "workspace", coalesce("criterion", '00000000-0000-0000-0000-000000000000'), direction * count(*)::int
    FROM unnest(workspaces, criteria) AS changed("workspace", "criterion") GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT ("workspace_id", "criterion_id") DO UPDATE SET "grades" = g."grades" + excluded."grades"
$$;
REVOKE ALL ON FUNCTION "count_grades"(INTEGER, UUID[], UUID[]) FROM PUBLIC;

CREATE FUNCTION "count_added_grades"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM "count_grades"(1, array_agg("workspace_id"), array_agg("criterion_id"))
    FROM "added" WHERE "superseded_by" IS NULL HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE FUNCTION "count_removed_grades"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM "count_grades"(-1, array_agg("workspace_id"), array_agg("criterion_id"))
    FROM "removed" WHERE "superseded_by" IS NULL HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE FUNCTION "count_superseded_grades"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
BEGIN
  PERFORM "count_grades"(-1, array_agg(o."workspace_id"), array_agg(o."criterion_id"))
    FROM "before" o JOIN "after" n ON n."id" = o."id"
    WHERE o."superseded_by" IS NULL AND n."superseded_by" IS NOT NULL HAVING count(*) > 0;
  RETURN NULL;
END
$$;
CREATE TRIGGER "label_grades_added" AFTER INSERT ON "label" REFERENCING NEW TABLE AS "added"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_added_grades"();
CREATE TRIGGER "label_grades_removed" AFTER DELETE ON "label" REFERENCING OLD TABLE AS "removed"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_removed_grades"();
CREATE TRIGGER "label_grades_superseded" AFTER UPDATE ON "label" REFERENCING OLD TABLE AS "before" NEW TABLE AS "after"
  FOR EACH STATEMENT EXECUTE FUNCTION "count_superseded_grades"();

INSERT INTO "grades_in_force"
  SELECT "workspace_id", coalesce("criterion_id", '00000000-0000-0000-0000-000000000000'), count(*)::int
  FROM "label" WHERE "superseded_by" IS NULL GROUP BY 1, 2;
