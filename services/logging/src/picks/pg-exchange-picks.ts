import type { Pool } from '@ratchet/db/connect-pool'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { type ExchangeRow, exchangeColumns, exchangeOf } from '../exchanges/pg-exchange-row.ts'
import { createRunStatement } from '../exchanges/pg-run-read.ts'
import type { ExchangePicks } from './exchange-picks.ts'
import { drawExchanges, drawnExchanges } from './pg-draw-exchanges.ts'
import { samplePrompts } from './pg-sample-prompts.ts'

/** Picks exchanges in Postgres. Use the pool for reading. */
export function createPgExchangePicks(pool: Pool, places?: FairPlaces): ExchangePicks {
  const runOf = createRunStatement(pool, places)
  return {
    async sample(request) {
      const run = runOf(request.workspaceId)
      const { total, keys } = await drawExchanges(run, request)
      return { total, exchanges: await drawnExchanges(run, keys) }
    },
    prompts: (request) => samplePrompts(runOf(request.workspaceId), request),
    async fresh({ workspaceId, at, after, limit, alias }) {
      const named = alias === undefined ? '' : 'AND e.alias = $5'
      const text = `
        SELECT ${exchangeColumns} FROM exchange e WHERE e.expires_on >= $2::timestamptz::date AND e.id > $3 AND e.workspace_id = $1
          AND e.expires_at > $2 ${named} ORDER BY e.id LIMIT $4`
      const values = [workspaceId, at, after, limit, ...(alias === undefined ? [] : [alias])]
      return (await runOf(workspaceId)<ExchangeRow>({ text, values })).map(exchangeOf)
    },
    async present({ workspaceId, at }, ids) {
      const text = 'SELECT id FROM exchange WHERE id = ANY($3::uuid[]) AND workspace_id = $1 AND expires_at > $2'
      const rows = await runOf(workspaceId)<{ id: string }>({ text, values: [workspaceId, at, ids] })
      return rows.map(({ id }) => id)
    },
  }
}
