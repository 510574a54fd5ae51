const columns = `id, workspace_id, previous_id, model, created_at, expires_at, input_items, reply, item_ids, is_unlogged`

/** All statements on stored responses. They never match rows of another workspace. */
export const responseStatements = {
  put: `
    INSERT INTO stored_response (${columns}, size_bytes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, octet_length($7) + octet_length($8))
    ON CONFLICT (id) DO NOTHING`,

  get: `SELECT ${columns} FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3`,

  delete: `DELETE FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3 RETURNING id`,

  /** Follows the ids first. The texts are read only when the whole chain exists. */
  chain: `
    WITH RECURSIVE chain AS (
      SELECT id, previous_id, size_bytes::bigint AS total, 1 AS depth
      FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3
      UNION ALL
      SELECT earlier.id, earlier.previous_id, chain.total + earlier.size_bytes, chain.depth + 1
      FROM chain JOIN stored_response AS earlier ON earlier.id = chain.previous_id
      WHERE earlier.workspace_id = $2 AND earlier.expires_at > $3 AND chain.depth <= $4 AND chain.total <= $5
    ), ending AS (
      SELECT previous_id IS NULL AS is_whole, depth > $4 OR total > $5 AS is_too_long
      FROM chain ORDER BY depth DESC LIMIT 1
    )
    SELECT is_whole, is_too_long,
      CASE WHEN is_whole AND NOT is_too_long THEN input_items END AS input_items,
      CASE WHEN is_whole AND NOT is_too_long THEN reply END AS reply, model, is_unlogged
    FROM chain CROSS JOIN ending JOIN stored_response USING (id) ORDER BY depth DESC`,

  repliesWith: `
    WITH found AS (
      SELECT id, created_at, size_bytes::bigint AS size FROM stored_response
      WHERE item_ids && $2::text[] AND workspace_id = $1 AND expires_at > $3
    )
    SELECT (SELECT sum(size) FROM found) > $4 AS is_too_large,
      CASE WHEN (SELECT sum(size) FROM found) <= $4 THEN reply END AS reply, model, is_unlogged
    FROM found JOIN stored_response USING (id) ORDER BY found.created_at DESC`,

  sweep: `
    DELETE FROM stored_response WHERE id IN (
      SELECT id FROM stored_response WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
    ) RETURNING id`,
}
