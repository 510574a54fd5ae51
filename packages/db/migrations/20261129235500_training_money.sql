-- Holds of training jobs. A job has one open hold at a time; each charge of the job is a request of its own, which takes its
-- cost out of the hold. So every other statement of the ledger treats both as it treats other requests.

ALTER TABLE "billing_request"
  -- The job of a hold, and of a charge out of it.
  ADD COLUMN "job_id" UUID,
  -- Of a hold of a job: the whole amount that it has taken, what the job had cost before it, and what it has cost until now.
  ADD COLUMN "taken" BIGINT,
  ADD COLUMN "job_cost_before" BIGINT,
  ADD COLUMN "job_cost" BIGINT,
  -- Tokens that these costs are for.
  ADD COLUMN "job_tokens" BIGINT,
  ADD CONSTRAINT "billing_request_job_check" CHECK (
    num_nonnulls("taken", "job_cost_before", "job_cost", "job_tokens") = CASE WHEN "taken" IS NULL THEN 0 ELSE 4 END
    AND ("taken" IS NULL OR "job_id" IS NOT NULL)
  ) NOT VALID,
  -- What a hold has taken is held, was charged out of it, or was charged when it was closed and later.
  ADD CONSTRAINT "billing_request_taken_check" CHECK (
    "hold" + ("job_cost" - "job_cost_before") - coalesce("cost", 0) = "taken"
  ) NOT VALID;

CREATE INDEX "billing_request_job_idx" ON "billing_request"("job_id") WHERE "job_id" IS NOT NULL;
CREATE UNIQUE INDEX "billing_request_job_open_key" ON "billing_request"("job_id") WHERE "job_id" IS NOT NULL AND "state" = 'open';

-- A hold of a job that was swept, because the training service did not run for a day, may be taken again.
DROP TRIGGER "billing_request_final" ON "billing_request";
CREATE TRIGGER "billing_request_final" AFTER UPDATE ON "billing_request"
  FOR EACH ROW WHEN (
    OLD."state" = 'posted'
    OR (OLD."state" = 'voided' AND NEW."state" = 'open' AND (OLD."taken" IS NULL OR OLD."cost" <> 0))
  )
  EXECUTE FUNCTION "refuse_change"('posted is final and nothing reopens');
