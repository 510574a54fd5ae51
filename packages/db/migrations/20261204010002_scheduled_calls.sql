-- When a call to a telephone may be dialed at the earliest; null: as soon as it is its turn.
ALTER TABLE "call" ADD COLUMN "due_at" TIMESTAMPTZ(3);
