const columns = 'id, workspace_id, filename, purpose, bytes, created_at'

const visible = `SELECT ${columns} FROM file WHERE workspace_id = $1 AND completed_at IS NOT NULL`

const page = (comparison: '<' | '>', order: 'ASC' | 'DESC') => `
  ${visible} AND ($2::text IS NULL OR purpose = $2)
    AND ($3::uuid IS NULL OR (created_at, id) ${comparison} (SELECT created_at, id FROM file WHERE id = $3 AND workspace_id = $1))
  ORDER BY created_at ${order}, id ${order} LIMIT $4`

/** Every statement on files. Another workspace's rows are never matched. */
export const fileStatements = {
  begin: `
    INSERT INTO file (id, workspace_id, filename, purpose, created_by, created_at) VALUES ($1, $2, $3, '', $4, $5)`,

  sweep: `DELETE FROM file WHERE completed_at IS NULL AND created_at < $1::timestamptz - make_interval(hours => $2)`,

  append: `INSERT INTO file_chunk (file_id, position, content) VALUES ($1, $2, $3)`,

  complete: `UPDATE file SET bytes = $2, purpose = $3, completed_at = $4 WHERE id = $1`,

  get: `${visible} AND id = $2`,

  newest: page('<', 'DESC'),

  oldest: page('>', 'ASC'),

  content: `SELECT content FROM file_chunk WHERE file_id = $1 AND position = $2`,

  delete: `DELETE FROM file WHERE workspace_id = $1 AND id = $2 RETURNING id`,
}
