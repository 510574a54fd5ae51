-- Datasets of prompts, whose examples end before the reply.

ALTER TABLE "dataset" DROP CONSTRAINT "dataset_format_check";
ALTER TABLE "dataset" ADD CONSTRAINT "dataset_format_check" CHECK ("format" IN ('chat', 'preference', 'prompts'));
