import { ClickHouseError } from '@clickhouse/client'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { type ExchangeLog, UnstorableExchange } from '../exchanges/exchange-log.ts'
import type { WholeExchange } from '../exchanges/logged-exchange.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { newestFirstOf, rowOf } from './clickhouse-row.ts'
import type { StoreUpkeep } from './store-upkeep.ts'

export interface WriteDeps {
  readonly clickHouse: ClickHouse
  readonly upkeep: Pick<StoreUpkeep, 'withSegments'>
  readonly now: () => Date
}

/**
 * The log in ClickHouse. A request is looked for while no other process writes for its workspace, so it is stored once.
 * If an insert arrives after its timeout, the table merges the two rows.
 */
export function createClickHouseLog({ clickHouse, upkeep, now }: WriteDeps): ExchangeLog {
  return {
    write: (exchanges) =>
      upkeep.withSegments(exchanges, async (whole) => {
        const unknown = await withoutKnown(clickHouse, whole)
        await insertExchanges(clickHouse, unknown, now())
        return unknown.length
      }),
  }
}

/** Stores new exchanges. @throws UnstorableExchange when one of them can never be stored */
export async function insertExchanges(
  clickHouse: ClickHouse,
  exchanges: readonly WholeExchange[],
  now: Date,
): Promise<void> {
  if (exchanges.length === 0) return
  try {
    const yesterday = now.getTime() - dayMs
    // A partition whose day is over would be dropped by the next sweep.
    if (exchanges.some(({ expiresAt }) => expiresAt.getTime() < yesterday - dayMs))
      throw new RangeError('an exchange expired before it was stored')
    await clickHouse.insert(exchanges.map((exchange) => rowOf(exchange, now)))
  } catch (error) {
    throw isRefusal(error) ? new UnstorableExchange('the log refuses an exchange', { cause: error }) : error
  }
}

async function withoutKnown(
  clickHouse: ClickHouse,
  exchanges: readonly WholeExchange[],
): Promise<readonly WholeExchange[]> {
  if (exchanges.length === 0) return []
  const rows = await clickHouse.read<{ workspace_id: string; request_id: string }>(
    `SELECT workspace_id, request_id FROM exchange
     WHERE workspace_id IN {workspaces:Array(UUID)} AND newest_first IN {times:Array(Int64)} AND request_id IN {requests:Array(String)}`,
    {
      workspaces: [...new Set(exchanges.map(({ workspaceId }) => workspaceId))],
      times: [...new Set(exchanges.map(({ createdAt }) => newestFirstOf(createdAt)))],
      requests: exchanges.map(({ requestId }) => requestId),
    },
  )
  const known = new Set(rows.map((row) => `${row.workspace_id} ${row.request_id}`))
  return exchanges.filter(({ workspaceId, requestId }) => {
    const key = `${workspaceId} ${requestId}`
    if (known.has(key)) return false
    known.add(key)
    return true
  })
}

/** Errors about the values of a row: they cannot be parsed, or have no place in their column. */
const refusals = new Set(['6', '27', '38', '41', '53', '69', '70', '72', '117', '131', '376'])

function isRefusal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof ClickHouseError && refusals.has(error.code))
}
