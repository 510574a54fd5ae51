-- Who sent a preference, beside the grader that the request names: a user, and the key unless it came from a session. Those of
-- before did not store it.
ALTER TABLE "eval_preference" ADD COLUMN "created_by" UUID, ADD COLUMN "key_id" UUID;
