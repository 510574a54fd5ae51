-- A judge of kind `code` judges by checks in place of a model.
ALTER TABLE "criterion" ADD COLUMN "checks" JSONB;
ALTER TABLE "criterion" ADD CONSTRAINT "criterion_checks_list"
  CHECK (("checks" IS NOT NULL AND jsonb_typeof("checks") = 'array') = ("judge_model" = 'ratchet/checks'));
