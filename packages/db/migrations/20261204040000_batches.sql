-- Batches: requests of a file, each of which is answered and charged like one that was sent by itself.
CREATE TABLE "batch" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "endpoint" TEXT NOT NULL,
  -- The model that all requests name; null when there are several.
  "model" TEXT,
  -- JSON texts: pairs of the client, and headers of each request.
  "metadata" TEXT,
  "headers" TEXT NOT NULL,
  "input_file_id" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  -- JSON text: what is wrong in the file.
  "errors" TEXT,
  -- Of all requests; answered and not answered ones are counted in their rows until the batch ends.
  "total" INTEGER NOT NULL DEFAULT 0,
  "completed" INTEGER NOT NULL DEFAULT 0,
  "failed" INTEGER NOT NULL DEFAULT 0,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  -- The maximum cost of the requests that have not begun. The hold of the batch has the id of the batch.
  "reserved_nano" BIGINT NOT NULL DEFAULT 0,
  "output_file_id" UUID,
  "error_file_id" UUID,
  "created_by" UUID NOT NULL,
  "key_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "in_progress_at" TIMESTAMPTZ(3),
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "finalizing_at" TIMESTAMPTZ(3),
  "cancelling_at" TIMESTAMPTZ(3),
  -- When it was completed, failed, expired or cancelled.
  "ended_at" TIMESTAMPTZ(3),
  "leased_until" TIMESTAMPTZ(3),
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "batch_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "batch_status_check" CHECK ("status" IN
    ('validating', 'failed', 'in_progress', 'finalizing', 'completed', 'expired', 'cancelling', 'cancelled')),
  CONSTRAINT "batch_ended_check" CHECK (("status" IN ('failed', 'completed', 'expired', 'cancelled')) = ("ended_at" IS NOT NULL)),
  CONSTRAINT "batch_reserved_check" CHECK ("reserved_nano" >= 0)
);
CREATE INDEX "batch_list_idx" ON "batch"("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "batch_open_idx" ON "batch"("workspace_id") WHERE "ended_at" IS NULL;

CREATE TABLE "batch_line" (
  "id" UUID NOT NULL,
  "batch_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- In the file, from 1.
  "line" INTEGER NOT NULL,
  "custom_id" TEXT NOT NULL,
  -- JSON text.
  "body" TEXT NOT NULL,
  "max_cost_nano" BIGINT NOT NULL,
  -- Whether it is no longer part of what the batch reserves.
  "begun" BOOLEAN NOT NULL DEFAULT false,
  "state" TEXT NOT NULL DEFAULT 'pending',
  "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "generation" INTEGER NOT NULL DEFAULT 0,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "failures" INTEGER NOT NULL DEFAULT 0,
  "last_error" TEXT,
  -- The answer: its status, the id of its request and its body, JSON text.
  "status_code" INTEGER,
  "request_id" TEXT,
  "response" TEXT,
  -- Why there is no answer.
  "error" TEXT,
  "cost_nano" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "batch_line_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "batch_line_batch_id_fkey" FOREIGN KEY ("batch_id") REFERENCES "batch"("id") ON DELETE CASCADE,
  CONSTRAINT "batch_line_state_check" CHECK ("state" IN ('pending', 'leased', 'done', 'poisoned')),
  CONSTRAINT "batch_line_done_check" CHECK (("state" IN ('done', 'poisoned')) = ("status_code" IS NOT NULL OR "error" IS NOT NULL))
);
CREATE UNIQUE INDEX "batch_line_place_key" ON "batch_line"("batch_id", "line");
CREATE INDEX "batch_line_work_idx" ON "batch_line"("workspace_id", "due_at", "line") WHERE "state" IN ('pending', 'leased');
CREATE INDEX "batch_line_open_idx" ON "batch_line"("batch_id") WHERE "state" IN ('pending', 'leased');

DO $$
BEGIN
  ALTER TABLE "batch_line" ALTER COLUMN "body" SET COMPRESSION lz4, ALTER COLUMN "response" SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
  NULL;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON "batch", "batch_line" TO ratchet_eval;
