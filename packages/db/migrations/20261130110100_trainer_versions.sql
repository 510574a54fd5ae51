-- Name and version of the trainer's program, as it says; null when it does not.
ALTER TABLE "training_attempt" ADD COLUMN "code_version" TEXT;
