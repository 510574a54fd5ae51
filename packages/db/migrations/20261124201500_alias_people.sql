-- The audit of an alias names people, and calls a rollback by a person by its name.
ALTER TYPE "alias_event_kind" ADD VALUE IF NOT EXISTS 'rollback' AFTER 'canary_set';
-- The names of the present members of a workspace, and nothing else about them.
CREATE VIEW "workspace_person" AS
  SELECT m."workspace_id", u."id" AS "user_id", u."name"
  FROM "membership" m JOIN "app_user" u ON u."id" = m."user_id";
GRANT SELECT ON "workspace_person" TO ratchet_alias;
