-- People grade answers that a round trained on. Grades are no labels of a criterion, so they never calibrate the judges of the round.

-- The id under which an answer is graded; null for all that are not trained on.
ALTER TABLE "raft_sample" ADD COLUMN "audit_id" UUID;
ALTER TABLE "raft_sample" ADD CONSTRAINT "raft_sample_audit_id_key" UNIQUE ("audit_id");

CREATE TABLE "raft_grade" (
  "id" UUID NOT NULL,
  "audit_id" UUID NOT NULL,
  "round_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "verdict" TEXT NOT NULL,
  "rationale" TEXT,
  "grader" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "raft_grade_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "raft_grade_audit_id_fkey" FOREIGN KEY ("audit_id") REFERENCES "raft_sample"("audit_id") ON DELETE CASCADE,
  CONSTRAINT "raft_grade_verdict_check" CHECK ("verdict" IN ('pass', 'fail'))
);
CREATE INDEX "raft_grade_audit_idx" ON "raft_grade"("audit_id");
CREATE INDEX "raft_grade_round_idx" ON "raft_grade"("round_id");

GRANT SELECT, INSERT ON "raft_grade" TO ratchet_training;
