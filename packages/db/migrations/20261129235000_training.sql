-- Fine-tuning jobs, with their attempts, events, metrics, checkpoints and artifacts. Only the training service writes these tables.

DO $$
BEGIN
  BEGIN
    CREATE ROLE ratchet_training NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
  END;
  GRANT ratchet_training TO CURRENT_USER;
  GRANT USAGE ON SCHEMA public TO ratchet_training;
END
$$;

CREATE TYPE "training_job_status" AS ENUM (
  'validating_files', 'queued', 'running', 'paused', 'succeeded', 'failed', 'cancelled'
);

CREATE TABLE "training_job" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "status" "training_job_status" NOT NULL DEFAULT 'validating_files',
  -- Only of a running job: `preparing`, `training`, `evaluating` or `uploading`.
  "phase" TEXT,
  -- Only of a queued job: `gpu` or `credit`.
  "waiting_for" TEXT,
  -- `pause` or `cancel`, while a running attempt has still to end for it.
  "asked" TEXT,
  "base_model" TEXT NOT NULL,
  -- `supervised` or `dpo`.
  "method" TEXT NOT NULL,
  "trainer" TEXT NOT NULL,
  "seed" INTEGER NOT NULL,
  -- JSON texts: the request; the settings without any `auto`, and the report of the data, both null before the data is read.
  "request" TEXT NOT NULL,
  "settings" TEXT,
  "data_report" TEXT,
  -- Where the data comes from: a dataset or a file, and the same for validation.
  "dataset_id" UUID,
  "training_file" UUID,
  "eval_dataset_id" UUID,
  "validation_file" UUID,
  -- SHA-256 of the dataset's export or of the file's content, in hex.
  "dataset_sha256" TEXT,
  -- SHA-256 of the artifacts with the examples that are trained on and validated with; null before the data is read.
  "train_sha256" TEXT,
  "valid_sha256" TEXT,
  -- Price per million trained tokens when the job was created, nano-dollars.
  "price_nano_per_mtok" BIGINT NOT NULL,
  -- Trained tokens of all epochs; an estimate before the data is read.
  "total_tokens" BIGINT NOT NULL,
  "tokens_exact" BOOLEAN NOT NULL DEFAULT false,
  -- Nano-dollars. `cost_nano` is the sum of what the ledger has charged.
  "estimated_cost_nano" BIGINT NOT NULL,
  "max_cost_nano" BIGINT,
  "held_nano" BIGINT NOT NULL DEFAULT 0,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  -- How many holds the job has had: each resumption takes the next one.
  "hold_number" INTEGER NOT NULL DEFAULT 0,
  "step" INTEGER NOT NULL DEFAULT 0,
  "total_steps" INTEGER,
  "epoch" DOUBLE PRECISION NOT NULL DEFAULT 0,
  -- `max_cost` or `early_stopping`.
  "stopped_early" TEXT,
  "error_code" TEXT,
  "error_message" TEXT,
  "error_param" TEXT,
  -- Attempts at training that were lost; a pause or a preemption is none.
  "lost_attempts" INTEGER NOT NULL DEFAULT 0,
  -- Number of the last event.
  "event_seq" INTEGER NOT NULL DEFAULT 0,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "started_at" TIMESTAMPTZ(3),
  "paused_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  -- The lease of a worker that takes the job's next step; while `attempts` is 0, when one has to look at it again. Null: now.
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  -- Counts the changes after which a worker has to look at the job again.
  "wakes" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "training_job_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "training_job_source_check" CHECK (("dataset_id" IS NULL) <> ("training_file" IS NULL)),
  CONSTRAINT "training_job_method_check" CHECK ("method" IN ('supervised', 'dpo')),
  CONSTRAINT "training_job_asked_check" CHECK ("asked" IN ('pause', 'cancel')),
  CONSTRAINT "training_job_money_check" CHECK ("held_nano" >= 0 AND "cost_nano" >= 0),
  CONSTRAINT "training_job_paused_check" CHECK (("status" = 'paused') = ("paused_at" IS NOT NULL)),
  CONSTRAINT "training_job_finished_check" CHECK (("status" IN ('succeeded', 'failed', 'cancelled')) = ("finished_at" IS NOT NULL))
);
CREATE INDEX "training_job_newest_idx" ON "training_job"("workspace_id", "created_at" DESC, "id" DESC);
-- Jobs with open work; one that has ended or is paused still has to give back its hold.
CREATE INDEX "training_job_open_idx" ON "training_job"("created_at")
  WHERE "status" NOT IN ('succeeded', 'failed', 'cancelled') OR "held_nano" > 0;

-- One start of a trainer. Its token names the generation, so that a stale trainer cannot write.
CREATE TABLE "training_attempt" (
  "job_id" UUID NOT NULL,
  "generation" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  "trainer" TEXT NOT NULL,
  -- What the trainer calls it: a process, or the name of a Kubernetes job.
  "external_ref" TEXT,
  -- `pause`, `cancel` or `checkpoint`: what the next heartbeat is answered; null: go on.
  "command" TEXT,
  "command_at" TIMESTAMPTZ(3),
  "phase" TEXT,
  "step" INTEGER NOT NULL DEFAULT 0,
  -- Highest number of the trainer's events that is stored.
  "event_seq" INTEGER NOT NULL DEFAULT 0,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "heartbeat_at" TIMESTAMPTZ(3),
  "lease_until" TIMESTAMPTZ(3) NOT NULL,
  "ended_at" TIMESTAMPTZ(3),
  -- `succeeded`, `stopped`, `failed` or `lost`; null while it runs.
  "exit" TEXT,
  -- JSON texts: the trainer's result and its fingerprint, or its failure.
  "result" TEXT,
  "fingerprint" TEXT,
  "error_code" TEXT,
  "error_message" TEXT,
  "error_retryable" BOOLEAN,
  CONSTRAINT "training_attempt_pkey" PRIMARY KEY ("job_id", "generation"),
  CONSTRAINT "training_attempt_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "training_job"("id") ON DELETE CASCADE,
  CONSTRAINT "training_attempt_ended_check" CHECK (("ended_at" IS NULL) = ("exit" IS NULL))
);
-- A job has at most one running attempt.
CREATE UNIQUE INDEX "training_attempt_running_key" ON "training_attempt"("job_id") WHERE "ended_at" IS NULL;
CREATE INDEX "training_attempt_lease_idx" ON "training_attempt"("lease_until") WHERE "ended_at" IS NULL;

CREATE TABLE "training_event" (
  "job_id" UUID NOT NULL,
  "seq" INTEGER NOT NULL,
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `info`, `warn` or `error`; `message` or `metrics`.
  "level" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  -- JSON text.
  "data" TEXT,
  -- The attempt and its number of the event; null for events of the service itself.
  "attempt" INTEGER,
  "attempt_seq" INTEGER,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "training_event_pkey" PRIMARY KEY ("job_id", "seq"),
  CONSTRAINT "training_event_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "training_job"("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "training_event_id_key" ON "training_event"("id");
CREATE UNIQUE INDEX "training_event_attempt_key" ON "training_event"("job_id", "attempt", "attempt_seq")
  WHERE "attempt" IS NOT NULL;

-- The figures of a step. A step that is trained again replaces them.
CREATE TABLE "training_metric" (
  "job_id" UUID NOT NULL,
  "step" INTEGER NOT NULL,
  "workspace_id" UUID NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  -- JSON text: numbers by name.
  "values" TEXT NOT NULL,
  CONSTRAINT "training_metric_pkey" PRIMARY KEY ("job_id", "step"),
  CONSTRAINT "training_metric_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "training_job"("id") ON DELETE CASCADE
);

-- A saved state of the training. Only a durable one is charged, and only there can training continue.
CREATE TABLE "checkpoint" (
  "id" UUID NOT NULL,
  "job_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "step" INTEGER NOT NULL,
  "epoch" DOUBLE PRECISION NOT NULL DEFAULT 0,
  -- Generation of the attempt that began it.
  "attempt" INTEGER NOT NULL,
  -- JSON text: its files as `{name, kind, sha256, bytes}`.
  "manifest" TEXT NOT NULL,
  -- SHA-256 of the manifest.
  "sha256" TEXT NOT NULL,
  "bytes" BIGINT NOT NULL,
  -- Tokens trained from the beginning of the job to here.
  "trained_tokens" BIGINT NOT NULL,
  -- JSON text: numbers by name.
  "metrics" TEXT NOT NULL DEFAULT '{}',
  -- Name of the model that answers as this checkpoint; null when its trainer does not serve it.
  "served_as" TEXT,
  -- Whether it is shown and can be served; the others are for resuming only.
  "servable" BOOLEAN NOT NULL DEFAULT true,
  "begun_at" TIMESTAMPTZ(3) NOT NULL,
  -- Null before the store has all files with the right sizes and hashes.
  "durable_at" TIMESTAMPTZ(3),
  "expires_at" TIMESTAMPTZ(3),
  CONSTRAINT "checkpoint_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "checkpoint_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "training_job"("id") ON DELETE CASCADE,
  CONSTRAINT "checkpoint_tokens_check" CHECK ("trained_tokens" >= 0 AND "bytes" >= 0)
);
CREATE UNIQUE INDEX "checkpoint_step_key" ON "checkpoint"("job_id", "step");

-- Content in the artifact store, by its hash. Workspaces with the same content share it.
CREATE TABLE "artifact" (
  "sha256" TEXT NOT NULL,
  "bytes" BIGINT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "artifact_pkey" PRIMARY KEY ("sha256")
);

-- What needs an artifact: a job or a checkpoint. An artifact without any is deleted after a day.
CREATE TABLE "artifact_reference" (
  "sha256" TEXT NOT NULL,
  "holder" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  CONSTRAINT "artifact_reference_pkey" PRIMARY KEY ("sha256", "holder"),
  CONSTRAINT "artifact_reference_sha256_fkey" FOREIGN KEY ("sha256") REFERENCES "artifact"("sha256")
);
CREATE INDEX "artifact_reference_holder_idx" ON "artifact_reference"("holder");

GRANT SELECT, INSERT, UPDATE ON "training_job", "training_attempt", "training_metric", "checkpoint" TO ratchet_training;
GRANT SELECT, INSERT ON "training_event" TO ratchet_training;
GRANT SELECT, INSERT, UPDATE, DELETE ON "artifact" TO ratchet_training;
GRANT SELECT, INSERT, DELETE ON "artifact_reference" TO ratchet_training;
