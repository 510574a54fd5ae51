-- Audio of calls that are recorded, about a second in each row, encrypted. Rows are only added, and deleted with the texts of the
-- call.
CREATE TABLE "call_recording_chunk" (
  "call_id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  "number" INTEGER NOT NULL,
  -- Milliseconds since the call was answered, at its beginning.
  "at_ms" INTEGER NOT NULL,
  "sample_rate" INTEGER NOT NULL,
  -- Of each of both sides.
  "samples" INTEGER NOT NULL,
  "sealed" BYTEA NOT NULL,
  CONSTRAINT "call_recording_chunk_pkey" PRIMARY KEY ("call_id", "number"),
  CONSTRAINT "call_recording_chunk_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "call"("id"),
  CONSTRAINT "call_recording_chunk_samples_check" CHECK ("samples" > 0 AND "sample_rate" > 0)
);
-- Sealed bytes do not become smaller.
ALTER TABLE "call_recording_chunk" ALTER COLUMN "sealed" SET STORAGE EXTERNAL;

GRANT SELECT, INSERT, DELETE ON "call_recording_chunk" TO ratchet_voice;

-- As before, with the bytes of the recording.
CREATE OR REPLACE FUNCTION "count_call_bytes"() RETURNS TRIGGER LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public AS $$
DECLARE
  before BIGINT := 0;
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW."text_bytes" := octet_length(NEW."variables"::text) + octet_length(NEW."metadata"::text)
      + octet_length(NEW."overrides"::text);
    PERFORM "count_stored_bytes"(NEW."workspace_id", 'infinity', NEW."text_bytes");
    RETURN NEW;
  END IF;
  before := OLD."text_bytes";
  IF NEW."erased_at" IS NOT NULL THEN
    NEW."text_bytes" := 0;
  ELSE
    NEW."text_bytes" := OLD."text_bytes"
      + (SELECT coalesce(sum(octet_length(t."text") + octet_length(coalesce(t."tool"::text, ''))), 0) FROM "call_turn" t
          WHERE t."call_id" = NEW."id")
      + (SELECT coalesce(sum(octet_length(e."body"::text)), 0) FROM "call_event" e WHERE e."call_id" = NEW."id")
      + (SELECT coalesce(sum(octet_length(c."sealed")), 0) FROM "call_recording_chunk" c WHERE c."call_id" = NEW."id");
  END IF;
  INSERT INTO "stored_bytes" AS s VALUES (NEW."workspace_id", 'infinity', greatest(0, NEW."text_bytes" - before))
    ON CONFLICT ("workspace_id", "expires_on") DO UPDATE SET "bytes" = greatest(0, s."bytes" + NEW."text_bytes" - before);
  RETURN NEW;
END
$$;
