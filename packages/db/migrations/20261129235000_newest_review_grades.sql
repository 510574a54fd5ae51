-- How long the latest grades of a workspace took is read with each plan of grading.
CREATE INDEX "review_grade_newest" ON "review_grade" ("workspace_id", "position" DESC);
