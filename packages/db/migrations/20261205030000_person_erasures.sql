-- Erasure of all that belongs to an end user of an application. The dashboard writes what was asked and the
-- receipt; each service finds and erases the rows of its own tables, and reports in its part.
CREATE TABLE "person_erasure" (
  "id" UUID NOT NULL,
  "workspace_id" UUID NOT NULL,
  -- `end_user`.
  "kind" TEXT NOT NULL,
  -- The name of the end user; null when the erasure has ended.
  "person" TEXT,
  -- The number by which the ledger knows the end user.
  "person_id" UUID NOT NULL,
  -- The name as JSON text, by which it is found in stored JSON; null when it is too short to mean one person.
  "needle" TEXT,
  -- Takes the place of the number in the ledger. Nothing computes it from the name.
  "pseudonym" UUID NOT NULL,
  -- `finding`, `found`, `erasing`, `done` or `cancelled`.
  "state" TEXT NOT NULL DEFAULT 'finding',
  -- The round of work that the services do now.
  "pass" INTEGER NOT NULL DEFAULT 1,
  -- The user who asked; null for an operator.
  "requested_by" UUID,
  "requested_at" TIMESTAMPTZ(3) NOT NULL,
  "confirmed_by" UUID,
  "confirmed_at" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3),
  -- JSON text, and its SHA-256 in hex.
  "receipt" TEXT,
  "receipt_sha256" TEXT,
  CONSTRAINT "person_erasure_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "person_erasure_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
-- One at a time for each person.
CREATE UNIQUE INDEX "person_erasure_open_key" ON "person_erasure"("workspace_id", "kind", "person_id")
  WHERE "state" IN ('finding', 'found', 'erasing');
CREATE INDEX "person_erasure_newest_idx" ON "person_erasure"("workspace_id", "requested_at" DESC, "id" DESC);
CREATE INDEX "person_erasure_work_idx" ON "person_erasure"("requested_at") WHERE "state" IN ('finding', 'erasing');

-- What one service found and erased.
CREATE TABLE "erasure_part" (
  "erasure_id" UUID NOT NULL,
  "service" TEXT NOT NULL,
  -- The last pass that it has done.
  "pass" INTEGER NOT NULL DEFAULT 0,
  -- Numbers of rows by kind.
  "found" JSONB NOT NULL DEFAULT '{}',
  "erased" JSONB NOT NULL DEFAULT '{}',
  -- What stays, by kind.
  "kept" JSONB NOT NULL DEFAULT '{}',
  -- Why it does not go on.
  "waits_for" TEXT,
  "leased_until" TIMESTAMPTZ(3) NOT NULL DEFAULT '-infinity',
  CONSTRAINT "erasure_part_pkey" PRIMARY KEY ("erasure_id", "service"),
  CONSTRAINT "erasure_part_erasure_id_fkey" FOREIGN KEY ("erasure_id") REFERENCES "person_erasure"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Ids of things of the person, by which services find the rest. They are deleted at the end.
CREATE TABLE "erasure_reference" (
  "erasure_id" UUID NOT NULL,
  -- `request`, `log`, `trace`, `snapshot`, `sample`, `call`, `dataset`, `run` or `prompt`.
  "kind" TEXT NOT NULL,
  "value" TEXT NOT NULL,
  -- The hex digits of a UUID, as in public ids.
  "hex" TEXT GENERATED ALWAYS AS (replace("value", '-', '')) STORED,
  "is_erased" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "erasure_reference_pkey" PRIMARY KEY ("erasure_id", "kind", "value"),
  CONSTRAINT "erasure_reference_erasure_id_fkey" FOREIGN KEY ("erasure_id") REFERENCES "person_erasure"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "erasure_reference_hex_idx" ON "erasure_reference"("erasure_id", "hex");

GRANT SELECT, INSERT, UPDATE ON "person_erasure" TO ratchet_dashboard;
GRANT SELECT ON "person_erasure" TO ratchet_alias, ratchet_eval, ratchet_inference, ratchet_judging, ratchet_logging, ratchet_training, ratchet_voice;
GRANT SELECT, INSERT, UPDATE ON "erasure_part" TO ratchet_dashboard;
GRANT SELECT, UPDATE ON "erasure_part" TO ratchet_alias, ratchet_eval, ratchet_inference, ratchet_judging, ratchet_logging, ratchet_training, ratchet_voice;
GRANT SELECT, INSERT, DELETE ON "erasure_reference" TO ratchet_dashboard;
GRANT SELECT, INSERT ON "erasure_reference" TO ratchet_alias, ratchet_eval, ratchet_inference, ratchet_judging, ratchet_training, ratchet_voice;
GRANT SELECT, INSERT, UPDATE ON "erasure_reference" TO ratchet_logging;

-- Whether a stored text has the name of the person as a JSON string, or an id of something of the person.
CREATE FUNCTION "names_person"("erasure" UUID, "content" TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT $2 IS NOT NULL AND (
    EXISTS (SELECT FROM person_erasure e WHERE e.id = $1
      -- Also as a part of JSON text inside of JSON.
      AND (strpos($2, e.needle) > 0 OR strpos($2, substr(to_json(e.needle)::text, 2, length(to_json(e.needle)::text) - 2)) > 0))
    OR EXISTS (
      SELECT FROM regexp_matches($2, '[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}', 'g') AS m(found)
      JOIN erasure_reference r ON r.erasure_id = $1 AND r.hex = replace(m.found[1], '-', '')
      WHERE r.kind IN ('request', 'log', 'trace', 'snapshot', 'sample', 'call')))
$$;

-- A digest of the question of a conversation: its messages without the last answer. Null for what is no conversation.
CREATE FUNCTION "prompt_digest"("content" TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  parsed JSONB;
BEGIN
  parsed := content::jsonb;
  IF jsonb_typeof(parsed) = 'object' THEN
    parsed := coalesce(parsed -> 'messages', parsed -> 'prompt', parsed -> 'input' -> 'messages');
  END IF;
  IF parsed IS NULL OR jsonb_typeof(parsed) <> 'array' OR jsonb_array_length(parsed) = 0 THEN
    RETURN NULL;
  END IF;
  IF parsed -> -1 ->> 'role' = 'assistant' THEN
    parsed := parsed - (-1);
  END IF;
  RETURN encode(sha256(convert_to(parsed::text, 'UTF8')), 'hex');
EXCEPTION WHEN invalid_text_representation OR untranslatable_character OR invalid_parameter_value THEN
  RETURN NULL;
END
$$;

-- What never changes otherwise may lose its texts while an erasure runs that somebody confirmed: the owner of the tables may repair
-- them, but not the audit. Rows also go with what they belong to.
CREATE FUNCTION "require_erasure"() RETURNS TRIGGER LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  IF pg_trigger_depth() = 1
    AND (TG_NARGS > 0 OR current_user <> (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID))
    AND NOT EXISTS (SELECT FROM person_erasure WHERE state = 'erasing') THEN
    RAISE EXCEPTION '% on %: only an erasure of a person may do this', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END
$$;

-- Texts of the audit may be blanked. The digest stays, and with it the chain.
DROP TRIGGER "audit_log_append_only" ON "audit_log";
CREATE TRIGGER "audit_log_append_only" BEFORE DELETE OR TRUNCATE OR UPDATE OF "workspace_id", "position", "digest", "hash" ON "audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('entries are only ever added');
CREATE TRIGGER "audit_log_unchanged" BEFORE UPDATE ON "audit_log"
  FOR EACH ROW WHEN (NEW."content" <> '') EXECUTE FUNCTION "refuse_change"('entries are only ever added');
CREATE TRIGGER "audit_log_erased" BEFORE UPDATE ON "audit_log" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"('also the owner');
GRANT UPDATE ("content") ON "audit_log" TO ratchet_dashboard;

DROP TRIGGER "audit_event_append_only" ON "audit_event";
CREATE TRIGGER "audit_event_append_only" BEFORE DELETE OR TRUNCATE OR UPDATE OF "id", "workspace_id", "user_id", "action", "subject",
  "request_id", "created_at", "key_id" ON "audit_event"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('events are only ever added');
CREATE TRIGGER "audit_event_unchanged" BEFORE UPDATE ON "audit_event"
  FOR EACH ROW WHEN (NEW."before" IS NOT NULL OR NEW."after" IS NOT NULL)
  EXECUTE FUNCTION "refuse_change"('events are only ever added');
CREATE TRIGGER "audit_event_erased" BEFORE UPDATE ON "audit_event" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"('also the owner');
GRANT UPDATE ("before", "after") ON "audit_event" TO ratchet_dashboard;

-- Texts of grades may be blanked; the grades stay.
CREATE OR REPLACE FUNCTION "refuse_regrading"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF to_jsonb(OLD) - 'superseded_by' - 'rationale' - 'external_id' IS DISTINCT FROM to_jsonb(NEW) - 'superseded_by' - 'rationale' - 'external_id'
    OR (OLD."superseded_by" IS NOT NULL AND OLD."superseded_by" IS DISTINCT FROM NEW."superseded_by")
    OR (NEW."rationale" IS NOT NULL AND NEW."rationale" IS DISTINCT FROM OLD."rationale")
    OR (NEW."external_id" IS NOT NULL AND NEW."external_id" IS DISTINCT FROM OLD."external_id")
    OR (OLD."superseded_by" IS NOT NULL AND to_jsonb(OLD) = to_jsonb(NEW)) THEN
    RAISE EXCEPTION 'grades are only ever added' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END
$$;
GRANT UPDATE ("rationale", "external_id") ON "label" TO ratchet_judging;
GRANT UPDATE ("messages", "response", "tools") ON "label_snapshot" TO ratchet_judging;
GRANT UPDATE ("rationale") ON "review_grade" TO ratchet_judging;
GRANT UPDATE ("items", "result") ON "deleted_improvement" TO ratchet_judging;

CREATE OR REPLACE FUNCTION "refuse_rejudging"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF to_jsonb(OLD) - 'explanation' - 'judged_response' - 'last_error' = to_jsonb(NEW) - 'explanation' - 'judged_response' - 'last_error'
    AND NEW."explanation" IS NULL AND NEW."judged_response" IS NULL AND NEW."last_error" IS NULL
    AND to_jsonb(OLD) <> to_jsonb(NEW) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a judgement is final' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- Examples of a person are taken out of frozen datasets, which only ever become smaller by that.
CREATE OR REPLACE FUNCTION "refuse_thawing"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."frozen_at" IS NOT NULL
    AND to_jsonb(OLD) - 'name' - 'description' IS DISTINCT FROM to_jsonb(NEW) - 'name' - 'description'
    AND NOT (NEW."example_count" < OLD."example_count"
      AND to_jsonb(OLD) - 'name' - 'description' - 'example_count' - 'size_bytes' - 'sha256' - 'token_count_estimate'
        = to_jsonb(NEW) - 'name' - 'description' - 'example_count' - 'size_bytes' - 'sha256' - 'token_count_estimate') THEN
    RAISE EXCEPTION 'a dataset is frozen' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END
$$;
GRANT DELETE ON "dataset_example" TO ratchet_logging;
GRANT UPDATE ("position") ON "dataset_example" TO ratchet_logging;
GRANT UPDATE ("content") ON "file_chunk" TO ratchet_logging;

-- The number of an end user in the ledger may be replaced by a pseudonym, and nothing else of a charge changes.
DROP TRIGGER "charge_append_only" ON "charge";
CREATE TRIGGER "charge_append_only" BEFORE DELETE OR TRUNCATE OR UPDATE OF "request_id", "wallet_id", "block_id", "cost", "write_off",
  "at", "log_request_id", "log_expires_on", "kind", "model", "price_version", "key_id", "tag", "alias", "prompt_tokens",
  "completion_tokens" ON "charge"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('charges are only ever added');
GRANT UPDATE ("end_user_id") ON "charge" TO ratchet_inference;
DROP TRIGGER "billing_request_final" ON "billing_request";
CREATE TRIGGER "billing_request_final" AFTER UPDATE ON "billing_request" FOR EACH ROW
  WHEN (((OLD."state" = 'posted' AND to_jsonb(OLD) - 'end_user_id' - 'budget_subjects' IS DISTINCT FROM to_jsonb(NEW) - 'end_user_id' - 'budget_subjects')
    OR (OLD."state" = 'posted' AND to_jsonb(OLD) = to_jsonb(NEW))
    OR (OLD."state" = 'voided' AND NEW."state" = 'open' AND (OLD."taken" IS NULL OR OLD."cost" <> 0))))
  EXECUTE FUNCTION "refuse_change"('posted is final and nothing reopens');
DROP TRIGGER "billing_request_budgets_final" ON "billing_request";
CREATE TRIGGER "billing_request_budgets_final" AFTER UPDATE OF "budget_ids", "budget_windows" ON "billing_request"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"('a request stays under its budgets');
GRANT DELETE ON "end_user", "failed_request", "workspace_warning" TO ratchet_inference;

GRANT DELETE ON "distill_prompt", "raft_prompt", "grpo_prompt" TO ratchet_training;
GRANT DELETE ON "tool_recording" TO ratchet_training;
GRANT UPDATE ("explanation") ON "grpo_verdict" TO ratchet_training;
GRANT UPDATE ("rationale") ON "grpo_grade" TO ratchet_training;
GRANT UPDATE ("rationale") ON "raft_grade" TO ratchet_training;

CREATE TRIGGER "dataset_example_erased" BEFORE DELETE OR UPDATE ON "dataset_example" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "file_chunk_erased" BEFORE UPDATE ON "file_chunk" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "label_snapshot_erased" BEFORE UPDATE ON "label_snapshot" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "review_grade_erased" BEFORE UPDATE ON "review_grade" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "deleted_improvement_erased" BEFORE UPDATE ON "deleted_improvement" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "distill_prompt_erased" BEFORE DELETE ON "distill_prompt" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "raft_prompt_erased" BEFORE DELETE ON "raft_prompt" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "grpo_prompt_erased" BEFORE DELETE ON "grpo_prompt" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
CREATE TRIGGER "tool_recording_erased" BEFORE DELETE ON "tool_recording" FOR EACH STATEMENT EXECUTE FUNCTION "require_erasure"();
