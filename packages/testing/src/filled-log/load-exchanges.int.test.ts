import { connectPool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '../fresh-database.ts'
import { storedExchanges } from '../stored-exchanges.ts'
import { loadExchanges } from './load-exchanges.ts'
import { createdMs } from './load-plan.ts'

interface Row {
  readonly id: string
  readonly created_at: Date
  readonly expires_on: string
  readonly found: boolean
}

it('loads the requested number of exchanges, each with content that can be read and searched, over the days before a moment', async () => {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, max: 2 })
  try {
    const workspaceId = '00000000-0000-7000-8000-000000000001'
    const options = { workspaceId, exchanges: 250, untilMs: Date.now(), days: 3 }
    await loadExchanges(pool, options)
    const rows = await storedExchanges<Row>(pool, 'e.workspace_id = $1', [workspaceId])
    expect(rows.map(({ created_at }) => created_at.getTime())).toEqual(
      Array.from({ length: 250 }, (_, n) => createdMs(options, 249 - n)),
    )
    expect(new Set(rows.map(({ expires_on }) => String(expires_on))).size).toBeGreaterThanOrEqual(3)
    const messages = rows.map((row) => JSON.parse(row.messages ?? 'null')[1].content)
    expect(messages.map((text: string) => text.split(' ')[0])).toEqual(
      Array.from({ length: 250 }, (_, n) => `order${249 - n}`),
    )
    const { rows: searched } = await pool.query(`
      SELECT (SELECT count(*)::int FROM exchange WHERE words @> exchange_words(workspace_id, 'order7')) AS one,
        (SELECT count(*)::int FROM exchange WHERE words @> exchange_words(workspace_id, 'assistant', 'word0')) AS all,
        (SELECT sum(exchanges)::int FROM segment_traffic) AS counted`)
    expect(searched).toEqual([{ one: 1, all: expect.any(Number), counted: 250 }])
    expect(searched[0].all).toBeGreaterThan(200)
  } finally {
    await pool.end()
    await database.drop()
  }
})
