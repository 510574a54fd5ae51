-- Checkpoints that can be served are kept; the column was never written.

ALTER TABLE "checkpoint" DROP COLUMN "expires_at";
