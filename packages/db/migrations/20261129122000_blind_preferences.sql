-- Whether the person chose without names of models and verdicts. Only such preferences, in the order of the draw, are evidence.
-- Those of before did not say it.
ALTER TABLE "eval_preference" ADD COLUMN "blind" BOOLEAN NOT NULL DEFAULT false;
