import { connectPool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { loadExchanges } from './load-exchanges.ts'

it('loads as many exchanges as it is told, each with content that can be read, over the days before a moment', async () => {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, max: 1 })
  try {
    const workspaceId = '00000000-0000-7000-8000-000000000001'
    await loadExchanges(pool, { workspaceId, exchanges: 250, until: new Date(), days: 3 })
    const { rows } = await pool.query(`
      SELECT count(*)::int AS exchanges, count(c.id)::int AS contents, count(DISTINCT e.expires_on)::int BETWEEN 3 AND 4 AS days,
        bool_and(jsonb_array_length(c.messages::jsonb) = 2 AND c.response::jsonb ? 'content') AS readable
      FROM exchange e LEFT JOIN exchange_content c USING (expires_on, id) WHERE workspace_id = '${workspaceId}'`)
    expect(rows).toEqual([{ exchanges: 250, contents: 250, days: true, readable: true }])
  } finally {
    await pool.end()
    await database.drop()
  }
})
