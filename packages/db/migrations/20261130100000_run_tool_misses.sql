-- What a call without a recording gets in a run; null: what the tool says.
ALTER TABLE environment_tool_use ADD COLUMN on_miss text CHECK (on_miss IN ('error', 'static', 'http'));
