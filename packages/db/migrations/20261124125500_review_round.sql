-- Rounds of review: people grade a frozen frame in batches, without seeing verdicts.
ALTER TYPE "judge_run_kind" ADD VALUE 'round';

-- The frame of a round is a grading frame with the same id.
ALTER TABLE "grading_frame" DROP CONSTRAINT "grading_frame_kind_check",
  ADD CONSTRAINT "grading_frame_kind_check" CHECK ("kind" IN ('random', 'judged', 'round'));

-- The run with the same id buys the verdicts that form the strata.
CREATE TABLE "review_round" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  -- Another judge, whose verdicts form the strata too.
  "challenger_id" UUID,
  -- Percentages of items that two people grade, that a person grades twice, and whose verdict is known.
  "double_percent" INTEGER NOT NULL,
  "again_percent" INTEGER NOT NULL,
  "known_percent" INTEGER NOT NULL,
  "created_by" UUID NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "closed_at" TIMESTAMPTZ(3),
  "closed_by" UUID,
  CONSTRAINT "review_round_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "review_round_run_fkey" FOREIGN KEY ("id") REFERENCES "judge_run"("id") ON DELETE CASCADE,
  CONSTRAINT "review_round_criterion_fkey" FOREIGN KEY ("criterion_id") REFERENCES "criterion"("id") ON DELETE CASCADE
);
CREATE INDEX "review_round_newest_idx" ON "review_round"("workspace_id", "created_at" DESC);
CREATE INDEX "review_round_criterion_idx" ON "review_round"("criterion_id");

-- A batch that one person holds until the lease ends.
CREATE TABLE "review_claim" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "round_id" UUID NOT NULL,
  "grader_id" UUID NOT NULL,
  -- Counts the batches of a person in the round.
  "batch" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "leased_until" TIMESTAMPTZ(3) NOT NULL,
  -- When the verdicts of the batch were sent. Grades are not blind from then on.
  "revealed_at" TIMESTAMPTZ(3),
  CONSTRAINT "review_claim_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "review_claim_round_fkey" FOREIGN KEY ("round_id") REFERENCES "review_round"("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "review_claim_batch_key" ON "review_claim"("round_id", "grader_id", "batch");

-- An item of a batch.
CREATE TABLE "review_item" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "round_id" UUID NOT NULL,
  "claim_id" UUID NOT NULL,
  "grader_id" UUID NOT NULL,
  -- `new`: of the frame. `double`: graded by another person too. `again`: graded by the same person before. `known`: settled
  -- by two people before. The last two measure the grader, and are no evidence about the judge.
  "kind" TEXT NOT NULL,
  "place" INTEGER NOT NULL,
  -- Of the frame; null for `known`.
  "log_id" UUID,
  "stratum" TEXT,
  -- The grade whose content is shown, for `again` and `known`.
  "label_id" UUID,
  CONSTRAINT "review_item_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "review_item_claim_fkey" FOREIGN KEY ("claim_id") REFERENCES "review_claim"("id") ON DELETE CASCADE,
  CONSTRAINT "review_item_kind_check" CHECK ("kind" IN ('new', 'double', 'again', 'known'))
);
CREATE UNIQUE INDEX "review_item_place_key" ON "review_item"("claim_id", "place");
CREATE INDEX "review_item_log_idx" ON "review_item"("round_id", "log_id");

-- What a person said about an item of a batch. The browser chooses the id, so a grade that is sent again is stored once.
CREATE TABLE "review_grade" (
  "workspace_id" UUID NOT NULL,
  "id" UUID NOT NULL,
  "round_id" UUID NOT NULL,
  "item_id" UUID NOT NULL,
  "grader_id" UUID NOT NULL,
  "label" TEXT NOT NULL,
  "reasons" TEXT[] NOT NULL,
  "rationale" TEXT,
  "shown_ms" INTEGER NOT NULL,
  "blind" BOOLEAN NOT NULL,
  -- The grade that counts for the judge; null for `unsure`, for items that measure the grader, and when it is not blind.
  "label_id" UUID,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "position" BIGINT GENERATED ALWAYS AS IDENTITY,
  CONSTRAINT "review_grade_pkey" PRIMARY KEY ("workspace_id", "id"),
  CONSTRAINT "review_grade_item_fkey" FOREIGN KEY ("item_id") REFERENCES "review_item"("id") ON DELETE CASCADE,
  CONSTRAINT "review_grade_label_check" CHECK ("label" IN ('pass', 'fail', 'unsure'))
);
CREATE INDEX "review_grade_item_idx" ON "review_grade"("item_id", "position" DESC);
CREATE INDEX "review_grade_round_idx" ON "review_grade"("round_id");

-- Who changed which judge. It outlives the judge.
CREATE TABLE "criterion_event" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "criterion_id" UUID NOT NULL,
  "kind" TEXT NOT NULL,
  -- Null when no person made the change.
  "user_id" UUID,
  "key_id" UUID,
  "session_id" UUID,
  "request_id" TEXT,
  -- JSON texts.
  "before" TEXT,
  "after" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  -- The order of events within one millisecond.
  "position" BIGINT GENERATED ALWAYS AS IDENTITY,
  CONSTRAINT "criterion_event_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "criterion_event_kind_check" CHECK ("kind" IN ('create', 'update', 'delete'))
);
CREATE INDEX "criterion_event_newest_idx" ON "criterion_event"("workspace_id", "position" DESC);
CREATE INDEX "criterion_event_criterion_idx" ON "criterion_event"("criterion_id", "position" DESC);
-- A person's blind grade of an item of a round counts, whatever the same person says about it later.
CREATE INDEX "label_round_idx" ON "label"("item_key", "grader_id") WHERE "sampling_method" = 'round' AND "blind";
CREATE TRIGGER "criterion_event_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "criterion_event"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('events are only ever added');

GRANT SELECT, INSERT ON "review_round", "review_claim", "review_item", "review_grade", "criterion_event" TO ratchet_judging;
GRANT UPDATE ("closed_at", "closed_by") ON "review_round" TO ratchet_judging;
GRANT UPDATE ("leased_until", "revealed_at") ON "review_claim" TO ratchet_judging;
