-- Responses that clients can read and continue for 30 days.

-- No foreign key on previous_id: a response stays readable when its previous one is deleted.
CREATE TABLE "stored_response" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "previous_id" UUID,
  "model" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "input_items" TEXT NOT NULL,
  "reply" TEXT NOT NULL,
  "item_ids" TEXT[] NOT NULL,
  "size_bytes" INTEGER NOT NULL,
  CONSTRAINT "stored_response_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "stored_response_expires_check" CHECK ("expires_at" > "created_at"),
  CONSTRAINT "stored_response_size_check" CHECK ("size_bytes" >= 0)
);

-- For purging, and for requests that refer to single output items of earlier responses.
CREATE INDEX "stored_response_expires_at_idx" ON "stored_response"("expires_at");
CREATE INDEX "stored_response_item_ids_idx" ON "stored_response" USING GIN ("item_ids");

GRANT SELECT, INSERT, DELETE ON "stored_response" TO ratchet_inference;
