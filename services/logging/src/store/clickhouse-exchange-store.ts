import { type FairPlaces, unlimitedPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { ImportStore } from '../imports/import-store.ts'
import type { FindMissing } from '../reconciliation/reconciliation.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { inScope, scopeParameters } from './clickhouse-conditions.ts'
import { createClickHouseCounts } from './clickhouse-counts.ts'
import { createClickHouseDescribed } from './clickhouse-described.ts'
import { createClickHousePicks, createClickHouseRunPicks } from './clickhouse-picks.ts'
import { inPlaces } from './clickhouse-places.ts'
import { createClickHouseReads } from './clickhouse-reads.ts'
import { createClickHouseRetention } from './clickhouse-retention.ts'
import { createClickHouseSegmentTraffic } from './clickhouse-segment-traffic.ts'
import { createClickHouseTraceSteps } from './clickhouse-trace-steps.ts'
import { createClickHouseLog } from './clickhouse-writes.ts'
import type { ExchangeStore } from './exchange-store.ts'
import type { StoreUpkeep } from './store-upkeep.ts'

export interface ClickHouseStoreOptions {
  readonly clickHouse: ClickHouse
  readonly upkeep: StoreUpkeep
  readonly now: () => Date
  /** Places of reads by workspace; absent: without limits. */
  readonly places?: FairPlaces | undefined
}

/** Stores exchanges in ClickHouse. */
export function createClickHouseExchangeStore(options: ClickHouseStoreOptions): ExchangeStore {
  const { clickHouse, upkeep, now, places = unlimitedPlaces } = options
  const ofWorkspace = inPlaces(clickHouse, places)
  return {
    log: createClickHouseLog({ clickHouse, upkeep, now }),
    described: createClickHouseDescribed(clickHouse, upkeep),
    imports: createClickHouseImports(ofWorkspace),
    reads: createClickHouseReads(ofWorkspace),
    counts: createClickHouseCounts(ofWorkspace),
    traceSteps: createClickHouseTraceSteps(ofWorkspace),
    segments: createClickHouseSegmentTraffic(ofWorkspace, upkeep),
    picks: createClickHousePicks(ofWorkspace),
    runPicks: createClickHouseRunPicks(ofWorkspace),
    retention: createClickHouseRetention(clickHouse, upkeep),
    findMissing: createFindMissing(clickHouse),
  }
}

function createClickHouseImports(clickHouse: ClickHouse): ImportStore {
  return {
    async known({ requestIds, entryIds, ...scope }) {
      const rows = await clickHouse.read<{ id: string; request_id: string }>(
        `SELECT id, request_id FROM exchange
         WHERE ${inScope} AND (request_id IN {requests:Array(String)} OR id IN {ids:Array(String)})`,
        { ...scopeParameters(scope), requests: requestIds, ids: entryIds },
      )
      const requested = new Set([...requestIds, ...entryIds])
      return new Set(rows.flatMap((row) => [row.id, row.request_id]).filter((id) => requested.has(id)))
    },
  }
}

function createFindMissing(clickHouse: ClickHouse): FindMissing {
  return async (charged) => {
    if (charged.length === 0) return []
    const rows = await clickHouse.read<{ workspace_id: string; request_id: string }>(
      `SELECT workspace_id, request_id FROM exchange
       WHERE workspace_id IN {workspaces:Array(UUID)} AND request_id IN {requests:Array(String)}`,
      {
        workspaces: [...new Set(charged.map(({ workspaceId }) => workspaceId))],
        requests: charged.map(({ requestId }) => requestId),
      },
    )
    const stored = new Set(rows.map((row) => `${row.workspace_id} ${row.request_id}`))
    const missing = charged.filter(({ workspaceId, requestId }) => !stored.has(`${workspaceId} ${requestId}`))
    return [
      ...new Map(
        missing.map(({ workspaceId, requestId }) => [`${workspaceId} ${requestId}`, { workspaceId, requestId }]),
      ).values(),
    ]
  }
}
