-- Datasets of pairs of answers, and datasets that are made of evals.

ALTER TYPE "dataset_source" ADD VALUE IF NOT EXISTS 'evals';
ALTER TABLE "dataset"
  -- `chat`: lines with messages. `preference`: lines with an input, a preferred and a non-preferred answer.
  ADD COLUMN "format" TEXT NOT NULL DEFAULT 'chat',
  ADD CONSTRAINT "dataset_format_check" CHECK ("format" IN ('chat', 'preference'));
