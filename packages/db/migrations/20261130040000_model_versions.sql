-- Model versions: what training has produced, under names that requests can use. Only the training service writes them.

CREATE TABLE "model_version" (
  -- That of the checkpoint whose files it has, when a fine-tuning job made it.
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `ft:<base>:<workspace>:<suffix>:<8 characters>`; never given to another version.
  "name" TEXT NOT NULL,
  "base_model" TEXT NOT NULL,
  -- `fine_tuning`, `grpo`, `raft` or `import`, and the job, run or round; null for an import.
  "produced_by" TEXT NOT NULL,
  "producer_id" UUID,
  -- The fine-tuning job that trained it, also for a round of RAFT.
  "job_id" UUID,
  "step" INTEGER,
  -- The version that it was trained from.
  "parent_id" UUID,
  "dataset_id" UUID,
  -- Whether a judge's reward made it, or one of the versions that it was trained from.
  "rewarded" BOOLEAN NOT NULL,
  -- JSON text: its files as `{name, kind, sha256, bytes}`; SHA-256 of that list.
  "manifest" TEXT NOT NULL,
  "sha256" TEXT NOT NULL,
  "bytes" BIGINT NOT NULL,
  "adapter_rank" INTEGER,
  -- JSON text: numbers by name.
  "metrics" TEXT NOT NULL DEFAULT '{}',
  -- The model of the catalog that answers as this version; null when nothing serves it.
  "served_as" TEXT,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "rejected_at" TIMESTAMPTZ(3),
  "rejected_by" UUID,
  "reject_reason" TEXT,
  "archived_at" TIMESTAMPTZ(3),
  CONSTRAINT "model_version_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "model_version_produced_check" CHECK ("produced_by" IN ('fine_tuning', 'grpo', 'raft', 'import')),
  CONSTRAINT "model_version_producer_check" CHECK (("producer_id" IS NULL) = ("produced_by" = 'import')),
  CONSTRAINT "model_version_rejected_check" CHECK (("rejected_at" IS NULL) = ("reject_reason" IS NULL))
);
CREATE UNIQUE INDEX "model_version_name_key" ON "model_version"("name");
CREATE INDEX "model_version_newest_idx" ON "model_version"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "model_version_producer_idx" ON "model_version"("producer_id");
CREATE INDEX "model_version_job_idx" ON "model_version"("job_id");

-- What a version is connected with beside its own columns: evals, guard looks, audits.
CREATE TABLE "version_edge" (
  "version_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `eval`, `guard` or `audit`, and the public id of the thing.
  "kind" TEXT NOT NULL,
  "target" TEXT NOT NULL,
  -- JSON text: what is shown of it.
  "details" TEXT NOT NULL DEFAULT '{}',
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "version_edge_pkey" PRIMARY KEY ("version_id", "kind", "target"),
  CONSTRAINT "version_edge_version_id_fkey" FOREIGN KEY ("version_id") REFERENCES "model_version"("id") ON DELETE CASCADE,
  CONSTRAINT "version_edge_kind_check" CHECK ("kind" IN ('eval', 'guard', 'audit'))
);

-- A number that grows with every change of the routes of a workspace, so that inference reads them only then.
CREATE TABLE "version_revision" (
  "workspace_id" UUID NOT NULL,
  "revision" INTEGER NOT NULL,
  CONSTRAINT "version_revision_pkey" PRIMARY KEY ("workspace_id")
);

-- The versions that requests can name.
CREATE VIEW "version_route" AS
  SELECT "workspace_id", "id", "name", "base_model", "served_as", "created_at"
  FROM "model_version" WHERE "served_as" IS NOT NULL AND "archived_at" IS NULL;
CREATE INDEX "model_version_routes_idx" ON "model_version"("workspace_id")
  WHERE "served_as" IS NOT NULL AND "archived_at" IS NULL;

-- The conversations that a job, run or round trained on, so that evals on them prove nothing. They outlive the data.
CREATE TABLE "training_roots" (
  -- A job, run or round.
  "holder" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- The first 8 bytes of the SHA-256 of each conversation's beginning, without repetitions, in ascending order.
  "roots" BYTEA NOT NULL,
  CONSTRAINT "training_roots_pkey" PRIMARY KEY ("holder")
);

-- Events of training that the alias service has not received yet.
CREATE TABLE "training_notice" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "type" TEXT NOT NULL,
  -- JSON text.
  "data" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "training_notice_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "training_notice_oldest_idx" ON "training_notice"("created_at");

-- The workspace in names of versions.
CREATE VIEW "training_workspace" AS SELECT "id" AS "workspace_id", "slug" FROM "workspace";

-- When an alias began to route to a version, with a row for each time. The alias service writes them with its audit.
CREATE TABLE "model_adoption" (
  "event_id" UUID NOT NULL,
  "model" TEXT NOT NULL,
  "workspace_id" UUID NOT NULL,
  "alias_name" TEXT NOT NULL,
  -- `target` or `canary`, and its share of the requests.
  "arm" TEXT NOT NULL,
  "percent" INTEGER NOT NULL,
  -- Null for a gate.
  "user_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "model_adoption_pkey" PRIMARY KEY ("event_id", "model")
);
CREATE INDEX "model_adoption_model_idx" ON "model_adoption"("workspace_id", "model", "created_at");

-- Which aliases name which models.
CREATE VIEW "alias_models" AS
  SELECT "workspace_id", "name", "target_model", "canary_model", "canary_percent", "shadow_model", "family_rules" FROM "alias";

-- The version that a job was trained from, and for which round or run it works; null: for nobody else. The eval that it starts
-- when it has succeeded, as JSON text, and its id; or, empty, that it could not be started.
ALTER TABLE "training_job"
  ADD COLUMN "warm_start_id" UUID,
  ADD COLUMN "producer_kind" TEXT,
  ADD COLUMN "producer_id" UUID,
  ADD COLUMN "after_training" TEXT,
  ADD COLUMN "after_eval_id" TEXT,
  ADD CONSTRAINT "training_job_producer_check"
    CHECK (("producer_kind" IS NULL) = ("producer_id" IS NULL) AND "producer_kind" IN ('grpo', 'raft'));
CREATE INDEX "training_job_after_training_idx" ON "training_job"("finished_at")
  WHERE "after_training" IS NOT NULL AND "after_eval_id" IS NULL AND "status" = 'succeeded';
CREATE INDEX "training_job_warm_start_idx" ON "training_job"("warm_start_id") WHERE "warm_start_id" IS NOT NULL;

GRANT SELECT, INSERT, UPDATE ON "model_version", "version_edge", "version_revision" TO ratchet_training;
GRANT SELECT, INSERT, DELETE ON "training_notice" TO ratchet_training;
GRANT SELECT, INSERT, UPDATE ON "training_roots" TO ratchet_training;
GRANT SELECT ON "training_workspace", "alias_models", "model_adoption" TO ratchet_training;
GRANT SELECT ON "version_route", "version_revision" TO ratchet_inference;
GRANT SELECT, INSERT ON "model_adoption" TO ratchet_alias;
GRANT SELECT ON "version_route" TO ratchet_alias;
