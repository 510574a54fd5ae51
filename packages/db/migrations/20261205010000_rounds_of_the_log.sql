-- A round may take its prompts from the log: then it has no dataset of them.
ALTER TABLE "raft_round" ALTER COLUMN "source_dataset_id" DROP NOT NULL;
