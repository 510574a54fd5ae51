-- Datasets that are made of a teacher's answers.

ALTER TYPE "dataset_source" ADD VALUE IF NOT EXISTS 'distill';
ALTER TABLE "dataset"
  -- `building` and `failed` ones are shown, and have no examples.
  ADD COLUMN "status" TEXT NOT NULL DEFAULT 'ready',
  ADD COLUMN "status_message" TEXT,
  -- JSON text; null for those that were made at once.
  ADD COLUMN "progress" TEXT,
  ADD CONSTRAINT "dataset_status_check" CHECK ("status" IN ('building', 'ready', 'failed'));
GRANT UPDATE ("status", "status_message", "progress") ON "dataset" TO ratchet_logging;

-- Only the training service writes these tables. The id is that of the dataset.
CREATE TABLE "distillation" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `new`: the dataset is not shown yet, and nothing is asked.
  "status" TEXT NOT NULL DEFAULT 'new',
  -- Whether the maximum cost was reached, so that nothing more is asked.
  "capped" BOOLEAN NOT NULL DEFAULT false,
  -- JSON texts: the request; the judge as it was when it began, in a list that may be empty.
  "request" TEXT NOT NULL,
  "judges" TEXT NOT NULL,
  "max_cost_nano" BIGINT NOT NULL,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "distillation_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "distillation_status_check" CHECK ("status" IN ('new', 'open', 'done', 'failed'))
);
CREATE INDEX "distillation_open_idx" ON "distillation"("created_at") WHERE "status" = 'open';

CREATE TABLE "distill_prompt" (
  "distillation_id" UUID NOT NULL,
  "prompt_index" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- JSON text: messages and tools.
  "prompt" TEXT NOT NULL,
  CONSTRAINT "distill_prompt_pkey" PRIMARY KEY ("distillation_id", "prompt_index"),
  CONSTRAINT "distill_prompt_distillation_id_fkey" FOREIGN KEY ("distillation_id") REFERENCES "distillation"("id") ON DELETE CASCADE
);

-- One answer with its verdict. It is asked for once: a repetition has the same key.
CREATE TABLE "distill_sample" (
  "distillation_id" UUID NOT NULL,
  "prompt_index" INTEGER NOT NULL,
  "sample_index" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- JSON text of the message; null before it was answered, or when it was not.
  "completion" TEXT,
  -- `asked` for; `answered`; `refused`: it never will be; `judged`.
  "state" TEXT NOT NULL DEFAULT 'asked',
  -- `pass` or `fail`; null while it is open, and when the judge gave none.
  "verdict" TEXT,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "distill_sample_pkey" PRIMARY KEY ("distillation_id", "prompt_index", "sample_index"),
  CONSTRAINT "distill_sample_prompt_fkey" FOREIGN KEY ("distillation_id", "prompt_index") REFERENCES "distill_prompt"("distillation_id", "prompt_index") ON DELETE CASCADE,
  CONSTRAINT "distill_sample_state_check" CHECK ("state" IN ('asked', 'answered', 'refused', 'judged'))
);
CREATE INDEX "distill_sample_open_idx" ON "distill_sample"("distillation_id", "state") WHERE "state" IN ('asked', 'answered');

CREATE INDEX "distillation_ended_idx" ON "distillation"("finished_at") WHERE "status" IN ('done', 'failed');

GRANT SELECT, INSERT, UPDATE, DELETE ON "distillation" TO ratchet_training;
GRANT SELECT, INSERT, UPDATE ON "distill_sample" TO ratchet_training;
GRANT SELECT, INSERT ON "distill_prompt" TO ratchet_training;
