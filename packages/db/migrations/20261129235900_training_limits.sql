-- Fine-tuning jobs that cannot go on end some time.

ALTER TABLE "training_job"
  -- Readings of the data that began, each of which may have ended with its worker.
  ADD COLUMN "data_tries" INTEGER NOT NULL DEFAULT 0,
  -- Since when the job waits for a trainer that no worker has; null while one has it.
  ADD COLUMN "unoffered_since" TIMESTAMPTZ(3);
