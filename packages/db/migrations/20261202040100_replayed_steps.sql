-- Steps that a later attempt trained on again, from the answers that are stored.
ALTER TABLE grpo_step ADD COLUMN trained_by integer, ADD COLUMN replayed boolean NOT NULL DEFAULT false;
