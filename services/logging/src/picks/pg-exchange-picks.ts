import type { Pool } from '@ratchet/db/connect-pool'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from '../exchanges/pg-exchange-row.ts'
import { createRunStatement } from '../exchanges/pg-run-read.ts'
import { drawExchanges, drawnExchanges, type SampleRequest } from './pg-draw-exchanges.ts'
import { samplePrompts } from './pg-sample-prompts.ts'

export interface FreshRequest extends ReadScope {
  /** UUID of the last exchange that the caller has read. */
  readonly after: string
  readonly limit: number
  /** Only exchanges that were requested by this alias; absent for all. */
  readonly alias?: string | undefined
}

export type ExchangePicks = ReturnType<typeof createPgExchangePicks>

/** Picks exchanges in Postgres for services that work on the log. Use the pool for reading. */
export function createPgExchangePicks(pool: Pool, places?: FairPlaces) {
  const runOf = createRunStatement(pool, places)
  return {
    /** A uniform sample without replacement, determined by the seed. `total` is the number of matches. */
    async sample(request: SampleRequest) {
      const run = runOf(request.workspaceId)
      const { total, keys } = await drawExchanges(run, request)
      return { total, exchanges: await drawnExchanges(run, keys) }
    },
    /** Draws exchanges in such an order and keeps the first one of each prompt. */
    prompts: (request: SampleRequest) => samplePrompts(runOf(request.workspaceId), request),
    /** Exchanges that were stored after `after`. Ids are UUIDs of version 7, so they sort in the order of storing. */
    async fresh({ workspaceId, at, after, limit, alias }: FreshRequest): Promise<readonly LoggedExchange[]> {
      const named = alias === undefined ? '' : 'AND e.alias = $5'
      const text = `
        SELECT ${exchangeColumns} FROM exchange e WHERE e.expires_on >= $2::timestamptz::date AND e.id > $3 AND e.workspace_id = $1
          AND e.expires_at > $2 ${named} ORDER BY e.id LIMIT $4`
      const values = [workspaceId, at, after, limit, ...(alias === undefined ? [] : [alias])]
      return (await runOf(workspaceId)<ExchangeRow>({ text, values })).map(exchangeOf)
    },
    /** The UUIDs of those exchanges that have not expired and were not deleted. */
    async present({ workspaceId, at }: ReadScope, ids: readonly string[]): Promise<readonly string[]> {
      const text = 'SELECT id FROM exchange WHERE id = ANY($3::uuid[]) AND workspace_id = $1 AND expires_at > $2'
      const rows = await runOf(workspaceId)<{ id: string }>({ text, values: [workspaceId, at, ids] })
      return rows.map(({ id }) => id)
    },
  }
}
