-- Tools that reward answers are called about an episode, not in it: figures of the calls of answers leave those out.
ALTER TABLE "tool_call" ADD COLUMN "is_grading" BOOLEAN NOT NULL DEFAULT false;
