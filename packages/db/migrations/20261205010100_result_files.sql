-- UUID of the file with the figures of each step of a job that has ended; null without one.
ALTER TABLE "training_job" ADD COLUMN "result_file" UUID;
