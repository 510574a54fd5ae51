const columns = `d.id, d.workspace_id, d.name, d.description, d.kind, sibling.id AS sibling_id, d.source, d.example_count,
  d.token_count_estimate, d.size_bytes, d.sha256, d.segments, d.filters, d.criterion_id, d.holdout_pct, d.created_by,
  d.created_at, d.format, d.status, d.status_message, d.progress`

const visible = `FROM dataset AS d LEFT JOIN dataset AS sibling ON sibling.id = d.sibling_id
  WHERE d.workspace_id = $1 AND (d.frozen_at IS NOT NULL OR d.status <> 'ready')`

const filtered = `${visible} AND ($2::text IS NULL OR d.name = $2) AND ($3::text IS NULL OR $3 = ANY (d.segments))
  AND ($4::dataset_kind IS NULL OR d.kind = $4)`

/** Every statement on datasets. Rows of another workspace never match. */
export const datasetStatements = {
  begin: `
    INSERT INTO dataset (id, workspace_id, name, description, kind, source, filters, criterion_id, holdout_pct,
      created_by, created_at, format)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,

  announce: `
    INSERT INTO dataset (id, workspace_id, name, description, kind, source, filters, criterion_id, holdout_pct,
      created_by, created_at, format, status, progress)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'building', $13)
    ON CONFLICT (id) DO NOTHING`,

  report: `
    UPDATE dataset SET progress = $3, status_message = $4, status = CASE WHEN $5 THEN 'failed' ELSE status END
    WHERE workspace_id = $1 AND id = $2 AND status = 'building' RETURNING id`,

  // Examples are deleted with their dataset only, which is written again in the same statement.
  clear: `
    WITH gone AS (DELETE FROM dataset WHERE workspace_id = $1 AND id = $2 AND status = 'building' RETURNING *)
    INSERT INTO dataset (id, workspace_id, name, description, kind, source, filters, criterion_id, holdout_pct,
      created_by, created_at, format, status, status_message, progress)
    SELECT id, workspace_id, name, description, kind, source, filters, criterion_id, holdout_pct, created_by, created_at,
      format, status, status_message, progress FROM gone`,

  append: `
    WITH grown AS (
      UPDATE dataset SET size_bytes = size_bytes + (SELECT sum(octet_length(line)) FROM string_to_table($3, E'\\n') AS line)
      WHERE id = $1 AND workspace_id = $7 RETURNING id
    )
    INSERT INTO dataset_example (dataset_id, position, line, sha256, source_exchange_id, folded_turns)
    SELECT grown.id, e.* FROM grown, unnest($2::int[], string_to_array($3, E'\\n'), $4::text[], $5::uuid[], $6::int[]) AS e`,

  freeze: `
    UPDATE dataset SET name = c.name, description = c.description, sibling_id = c.sibling_id,
      example_count = c.example_count, token_count_estimate = c.token_count_estimate, size_bytes = c.size_bytes,
      sha256 = c.sha256, segments = c.segments, status = 'ready', frozen_at = $2
    FROM jsonb_to_recordset($1::jsonb) AS c (id uuid, name text, description text, sibling_id uuid, example_count int,
      token_count_estimate bigint, size_bytes bigint, sha256 text, segments text[])
    WHERE dataset.id = c.id`,

  get: `SELECT ${columns} ${visible} AND d.id = $2`,

  count: `SELECT count(*)::int AS total ${filtered}`,

  list: `SELECT ${columns} ${filtered} ORDER BY d.created_at DESC, d.id DESC LIMIT $5 OFFSET $6`,

  examples: `
    SELECT position, line, sha256, source_exchange_id, folded_turns FROM dataset_example
    WHERE dataset_id = $1 AND position >= $2 AND position < $3 ORDER BY position`,

  rename: `
    UPDATE dataset SET name = coalesce($3, name), description = CASE WHEN $4 THEN $5 ELSE description END
    WHERE workspace_id = $1 AND id = $2 AND (frozen_at IS NOT NULL OR status <> 'ready') RETURNING id`,

  delete: `DELETE FROM dataset WHERE workspace_id = $1 AND id = $2 RETURNING id`,
}
