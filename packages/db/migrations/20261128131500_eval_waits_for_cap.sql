-- A sample that the spend cap did not cover while earlier samples held a part of it. It calls no model before its turn, so
-- that the sample whose turn it is can see whether any money is still held.
ALTER TABLE "eval_sample" ADD COLUMN "waits_for_cap" BOOLEAN NOT NULL DEFAULT false;
