const columns = `id, workspace_id, previous_id, model, created_at, expires_at, input_items, reply, item_ids, is_unlogged`

/** All statements on stored responses. They never match rows of another workspace. */
export const responseStatements = {
  put: `
    INSERT INTO stored_response (${columns}, size_bytes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, octet_length($7) + octet_length($8))
    ON CONFLICT (id) DO NOTHING`,

  find: `
    SELECT octet_length(input_items) AS input_bytes, octet_length(reply) AS reply_bytes
    FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3`,

  inputItems: `
    SELECT input_items AS text FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3`,

  reply: `SELECT reply AS text FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3`,

  delete: `DELETE FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3 RETURNING id`,

  /** Follows the ids only, and measures the texts. */
  chain: `
    WITH RECURSIVE chain AS (
      SELECT id, previous_id, size_bytes::bigint AS total, 1 AS depth
      FROM stored_response WHERE id = $1 AND workspace_id = $2 AND expires_at > $3
      UNION ALL
      SELECT earlier.id, earlier.previous_id, chain.total + earlier.size_bytes, chain.depth + 1
      FROM chain JOIN stored_response AS earlier ON earlier.id = chain.previous_id
      WHERE earlier.workspace_id = $2 AND earlier.expires_at > $3 AND chain.depth <= $4 AND chain.total <= $5
    )
    SELECT array_agg(id ORDER BY depth DESC) AS ids, max(total)::float8 AS bytes,
      bool_or(previous_id IS NULL) AS is_whole, max(depth) > $4 OR max(total) > $5 AS is_too_long
    FROM chain`,

  repliesWith: `
    SELECT coalesce(array_agg(id ORDER BY created_at DESC), '{}') AS ids, coalesce(sum(size_bytes), 0)::float8 AS bytes
    FROM stored_response WHERE item_ids && $2::text[] AND workspace_id = $1 AND expires_at > $3`,

  inputsAndReplies: `
    SELECT id, input_items, reply, model, is_unlogged FROM stored_response
    WHERE id = ANY($1::uuid[]) AND workspace_id = $2 AND expires_at > $3`,

  replies: `
    SELECT id, reply, model, is_unlogged FROM stored_response
    WHERE id = ANY($1::uuid[]) AND workspace_id = $2 AND expires_at > $3`,

  sweep: `
    DELETE FROM stored_response WHERE id IN (
      SELECT id FROM stored_response WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
    ) RETURNING id`,
}
