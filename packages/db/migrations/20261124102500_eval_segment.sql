-- The segment of a sample's prompt; null for prompts without one, such as those of datasets. It is no text of a user, so it
-- stays when texts expire.
ALTER TABLE "eval_sample" ADD COLUMN "segment" TEXT;
