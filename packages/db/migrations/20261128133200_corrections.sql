-- A correction has a reference, as a top-up has.
ALTER TABLE "ledger_entry"
  DROP CONSTRAINT "ledger_entry_top_up_check",
  ADD CONSTRAINT "ledger_entry_top_up_check"
    CHECK (("reason" IN ('top_up', 'correction')) = ("external_ref" IS NOT NULL)) NOT VALID;

-- References of corrections are claimed as those of top-ups are. One that would take more than is free is refused after its
-- claim, so a claim of a correction counts only once it is posted.
ALTER TABLE "top_up_reference"
  ADD COLUMN "reason" "ledger_reason" NOT NULL DEFAULT 'top_up',
  ADD COLUMN "is_posted" BOOLEAN NOT NULL DEFAULT true;
GRANT UPDATE, DELETE ON "top_up_reference" TO ratchet_inference;
