-- Rounds of reward-ranked fine-tuning. Only the training service writes these tables.

CREATE TABLE "raft_round" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `sampling`, `judging`, `curating`, `training`, `evaluating`, `done`, `failed` or `cancelled`.
  "status" TEXT NOT NULL DEFAULT 'sampling',
  -- The last status in which it worked: where a resumption goes on.
  "stage" TEXT NOT NULL DEFAULT 'sampling',
  "status_message" TEXT,
  -- Code of a failure; null otherwise.
  "error_code" TEXT,
  "name" TEXT,
  "base_model" TEXT NOT NULL,
  "start_model" TEXT NOT NULL,
  "start_version_id" UUID,
  "chain_id" UUID NOT NULL,
  "round_index" INTEGER NOT NULL,
  "previous_round_id" UUID,
  "criterion_id" UUID NOT NULL,
  -- UUID of the dataset with the prompts, and of the one that is trained on.
  "source_dataset_id" UUID NOT NULL,
  "dataset_id" UUID,
  -- JSON texts: the request with the seed; the judges as the round began with them.
  "settings" TEXT NOT NULL,
  "judges" TEXT NOT NULL,
  "warnings" TEXT NOT NULL,
  -- JSON texts of what was found out: about the answers, and about held out prompts. Null before.
  "curation" TEXT,
  "holdout" TEXT,
  "job_id" UUID,
  -- How many jobs it has had.
  "job_number" INTEGER NOT NULL DEFAULT 0,
  "model_version_id" UUID,
  "max_cost_nano" BIGINT NOT NULL,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "raft_round_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "raft_round_status_check" CHECK (
    "status" IN ('sampling', 'judging', 'curating', 'training', 'evaluating', 'done', 'failed', 'cancelled')
    AND "stage" IN ('sampling', 'judging', 'curating', 'training', 'evaluating')),
  CONSTRAINT "raft_round_finished_check" CHECK (("status" IN ('done', 'failed', 'cancelled')) = ("finished_at" IS NOT NULL))
);
CREATE INDEX "raft_round_newest_idx" ON "raft_round"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "raft_round_chain_idx" ON "raft_round"("chain_id");
CREATE INDEX "raft_round_open_idx" ON "raft_round"("created_at") WHERE "status" NOT IN ('done', 'failed', 'cancelled');

-- What the model is asked. Held out prompts are never trained on.
CREATE TABLE "raft_prompt" (
  "round_id" UUID NOT NULL,
  "prompt_index" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  "held_out" BOOLEAN NOT NULL,
  -- JSON text: messages, tools, and the dataset's own reply.
  "prompt" TEXT NOT NULL,
  CONSTRAINT "raft_prompt_pkey" PRIMARY KEY ("round_id", "prompt_index"),
  CONSTRAINT "raft_prompt_round_id_fkey" FOREIGN KEY ("round_id") REFERENCES "raft_round"("id") ON DELETE CASCADE
);

-- One answer with its verdicts. It is asked for once: a repetition has the same key.
CREATE TABLE "raft_sample" (
  "round_id" UUID NOT NULL,
  -- `train`; `before` and `after` of held out prompts.
  "part" TEXT NOT NULL,
  "prompt_index" INTEGER NOT NULL,
  "sample_index" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- JSON text of the message; null before it was answered, or when it was not.
  "completion" TEXT,
  -- `asked` for; `answered`; `refused`: it never will be; `judged`: by every judge.
  "state" TEXT NOT NULL DEFAULT 'asked',
  -- `pass` or `fail` of each judge; null while it is open, and when the judge gave none.
  "verdict" TEXT,
  "second_verdict" TEXT,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "raft_sample_pkey" PRIMARY KEY ("round_id", "part", "prompt_index", "sample_index"),
  CONSTRAINT "raft_sample_prompt_fkey" FOREIGN KEY ("round_id", "prompt_index") REFERENCES "raft_prompt"("round_id", "prompt_index") ON DELETE CASCADE,
  CONSTRAINT "raft_sample_part_check" CHECK ("part" IN ('train', 'before', 'after')),
  CONSTRAINT "raft_sample_state_check" CHECK ("state" IN ('asked', 'answered', 'refused', 'judged'))
);
CREATE INDEX "raft_sample_open_idx" ON "raft_sample"("round_id", "state") WHERE "state" IN ('asked', 'answered');

GRANT SELECT, INSERT, UPDATE ON "raft_round", "raft_sample" TO ratchet_training;
GRANT SELECT, INSERT ON "raft_prompt" TO ratchet_training;
