-- What was imported is kept from its import on, and the ids of rows tell when that was.
CREATE INDEX "exchange_import_idx" ON "exchange"("workspace_id", "id") WHERE "source" = 'import';
