-- When an eval that may be evidence was last created with a judge, so that the judge is checked for drift while it is. NULL for
-- never.
ALTER TABLE "criterion" ADD COLUMN "eval_used_at" TIMESTAMPTZ(3);
