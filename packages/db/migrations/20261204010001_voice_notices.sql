-- Events about calls, agents and numbers that the alias service has not received yet. Voice and its workers write them in the transaction
-- of what they report.
CREATE TABLE "voice_notice" (
  "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  "workspace_id" UUID NOT NULL,
  -- The call, agent or number. Its events are published one after the other.
  "subject_id" UUID NOT NULL,
  "type" TEXT NOT NULL,
  "data" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  -- The order of the events of a subject within a millisecond.
  "position" BIGINT GENERATED ALWAYS AS IDENTITY,
  CONSTRAINT "voice_notice_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "voice_notice_oldest_idx" ON "voice_notice"("created_at", "id");
CREATE INDEX "voice_notice_subject_idx" ON "voice_notice"("subject_id", "position");

GRANT SELECT, INSERT, DELETE ON "voice_notice" TO ratchet_voice;
