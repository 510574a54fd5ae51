-- A response whose request turned the log off, or that continues such a one. What continues it is not logged either, because
-- its prompt contains this response.
ALTER TABLE "stored_response" ADD COLUMN "is_unlogged" BOOLEAN NOT NULL DEFAULT false;
