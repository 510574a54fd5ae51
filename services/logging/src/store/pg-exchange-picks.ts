import type { Pool } from '@ratchet/db/connect-pool'
import type { ExchangePicks } from '../domain/exchange-picks.ts'
import { drawExchanges, drawnExchanges } from './draw-exchanges.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from './exchange-row.ts'
import { createRunRead } from './run-read.ts'
import { samplePrompts } from './sample-prompts.ts'

/** Picks from the log in Postgres, on the pool of its readers. */
export function createPgExchangePicks(pool: Pool): ExchangePicks {
  const run = createRunRead(pool)
  return {
    async sample(request) {
      const { total, keys } = await drawExchanges(run, request)
      return { total, exchanges: await drawnExchanges(run, keys) }
    },
    prompts: (request) => samplePrompts(run, request),
    // Ids are made when an exchange is stored and sort by then.
    async fresh({ workspaceId, at, after, limit, alias }) {
      const named = alias === undefined ? '' : 'AND e.alias = $5'
      const rows = await run<ExchangeRow>(
        `SELECT ${exchangeColumns} FROM exchange e WHERE e.expires_on >= $2::timestamptz::date AND e.id > $3 AND e.workspace_id = $1
           AND e.expires_at > $2 ${named} ORDER BY e.id LIMIT $4`,
        [workspaceId, at, after, limit, ...(alias === undefined ? [] : [alias])],
      )
      return rows.map(exchangeOf)
    },
    async present({ workspaceId, at }, ids) {
      const rows = await run<{ id: string }>(
        'SELECT id FROM exchange WHERE id = ANY($3::uuid[]) AND workspace_id = $1 AND expires_at > $2',
        [workspaceId, at, ids],
      )
      return rows.map(({ id }) => id)
    },
  }
}
