-- Retention of imported rows begins at their import, and their ids contain that time.
CREATE INDEX "exchange_import_idx" ON "exchange"("workspace_id", "id") WHERE "source" = 'import';
