-- Datasets, frozen when complete, and files that clients upload.

CREATE TYPE "dataset_kind" AS ENUM ('train', 'eval');
CREATE TYPE "dataset_source" AS ENUM ('logs', 'upload', 'raft');

CREATE TABLE "dataset" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "kind" "dataset_kind" NOT NULL,
  -- No foreign key: one dataset stays when the other is deleted.
  "sibling_id" UUID,
  "source" "dataset_source" NOT NULL,
  "example_count" INTEGER NOT NULL DEFAULT 0,
  "token_count_estimate" BIGINT NOT NULL DEFAULT 0,
  "size_bytes" BIGINT NOT NULL DEFAULT 0,
  "sha256" TEXT NOT NULL DEFAULT '',
  "segments" TEXT[] NOT NULL DEFAULT '{}',
  "filters" TEXT NOT NULL,
  "criterion_id" TEXT,
  "holdout_pct" INTEGER,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  -- Null while it is being written; readers ignore it.
  "frozen_at" TIMESTAMPTZ(3),
  CONSTRAINT "dataset_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "dataset_holdout_check" CHECK ("holdout_pct" BETWEEN 0 AND 99)
);
CREATE INDEX "dataset_newest_idx" ON "dataset"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "dataset_unfrozen_idx" ON "dataset"("created_at") WHERE "frozen_at" IS NULL;

CREATE TABLE "dataset_example" (
  "dataset_id" UUID NOT NULL,
  "position" INTEGER NOT NULL,
  -- A line of JSONL.
  "line" TEXT NOT NULL,
  "sha256" TEXT NOT NULL,
  -- The exchange may have expired.
  "source_exchange_id" UUID,
  "folded_turns" INTEGER NOT NULL,
  CONSTRAINT "dataset_example_pkey" PRIMARY KEY ("dataset_id", "position"),
  CONSTRAINT "dataset_example_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "dataset"("id") ON DELETE CASCADE
);

CREATE TABLE "file" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "filename" TEXT NOT NULL,
  "purpose" TEXT NOT NULL,
  "bytes" BIGINT NOT NULL DEFAULT 0,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  -- Null while it is being written; readers ignore it.
  "completed_at" TIMESTAMPTZ(3),
  CONSTRAINT "file_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "file_newest_idx" ON "file"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "file_incomplete_idx" ON "file"("created_at") WHERE "completed_at" IS NULL;

CREATE TABLE "file_chunk" (
  "file_id" UUID NOT NULL,
  "position" INTEGER NOT NULL,
  "content" BYTEA NOT NULL,
  CONSTRAINT "file_chunk_pkey" PRIMARY KEY ("file_id", "position"),
  CONSTRAINT "file_chunk_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "file"("id") ON DELETE CASCADE
);

DO $$
BEGIN
  ALTER TABLE "dataset_example" ALTER COLUMN "line" SET COMPRESSION lz4;
  ALTER TABLE "file_chunk" ALTER COLUMN "content" SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END
$$;

-- Content is final, so that the training data of a model remains known.
CREATE FUNCTION "refuse_thawing"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."frozen_at" IS NOT NULL
    AND to_jsonb(OLD) - 'name' - 'description' IS DISTINCT FROM to_jsonb(NEW) - 'name' - 'description' THEN
    RAISE EXCEPTION 'a dataset is frozen' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER "dataset_frozen" BEFORE UPDATE ON "dataset" FOR EACH ROW EXECUTE FUNCTION "refuse_thawing"();

CREATE FUNCTION "refuse_late_examples"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM added JOIN "dataset" d ON d."id" = added."dataset_id" WHERE d."frozen_at" IS NOT NULL) THEN
    RAISE EXCEPTION 'a dataset is frozen' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "dataset_example_frozen" AFTER INSERT ON "dataset_example" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_late_examples"();

GRANT SELECT, INSERT, DELETE ON "dataset" TO ratchet_logging;
GRANT UPDATE (
  "name", "description", "sibling_id", "example_count", "token_count_estimate", "size_bytes", "sha256", "segments", "frozen_at"
) ON "dataset" TO ratchet_logging;
GRANT SELECT, INSERT ON "dataset_example", "file_chunk" TO ratchet_logging;
GRANT SELECT, INSERT, DELETE ON "file" TO ratchet_logging;
GRANT UPDATE ("bytes", "purpose", "completed_at") ON "file" TO ratchet_logging;
