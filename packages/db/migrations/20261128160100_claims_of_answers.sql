-- Who holds a key: a process that lost it to another must neither answer for the other nor free the key.
ALTER TABLE "judging_answer" ADD COLUMN "claim" UUID;
ALTER TABLE "logging_answer" ADD COLUMN "claim" UUID;
