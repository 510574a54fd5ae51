-- The week in which a judge reached its weekly cap, the cap that it reached, and when: people are notified of it once.
ALTER TABLE "criterion"
  ADD COLUMN "cap_reached_week" TIMESTAMPTZ(3),
  ADD COLUMN "cap_reached_nano" BIGINT,
  ADD COLUMN "cap_reached_at" TIMESTAMPTZ(3);

-- For the dashboard, which mails the owners of these judges.
CREATE VIEW "criterion_cap_reached" AS
  SELECT "workspace_id", "id" AS "criterion_id", "name", "cap_reached_at" AS "changed_at", "cap_reached_nano" AS "cap"
  FROM "criterion" WHERE "cap_reached_at" IS NOT NULL AND "cap_reached_nano" IS NOT NULL;

-- One mail for each owner and each time a judge reached its cap.
CREATE TABLE "cap_notice" (
  "workspace_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  "changed_at" TIMESTAMPTZ(3) NOT NULL,
  "user_id" UUID NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "cap_notice_pkey" PRIMARY KEY ("criterion_id", "changed_at", "user_id")
);
CREATE INDEX "cap_notice_due_idx" ON "cap_notice"("due_at") WHERE "sent_at" IS NULL;
GRANT SELECT ON "criterion_cap_reached" TO ratchet_dashboard;
GRANT SELECT, INSERT, UPDATE, DELETE ON "cap_notice" TO ratchet_dashboard;
