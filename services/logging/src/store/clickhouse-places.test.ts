import { randomUUID } from 'node:crypto'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { eventually } from '@ratchet/testing/eventually'
import type { ClickHouse, Parameters } from './clickhouse-client.ts'
import { createClickHouseExchangeStore } from './clickhouse-exchange-store.ts'
import type { ExchangeStore } from './exchange-store.ts'
import type { StoreUpkeep } from './store-upkeep.ts'

const at = new Date('2026-11-24T12:00:00Z')

type Read = (store: ExchangeStore, workspaceId: string) => Promise<unknown>

const reads: readonly (readonly [string, Read])[] = [
  ['an entry', ({ reads: of }, workspaceId) => of.get({ workspaceId, at }, randomUUID())],
  [
    'a page',
    ({ reads: of }, workspaceId) => of.page({ workspaceId, at, filter: {}, limit: 10, offset: 0, after: null }),
  ],
  ['segments', ({ segments }, workspaceId) => segments.list({ workspaceId, at, limit: 10, offset: 0 })],
  [
    'a trace',
    ({ traceSteps }, workspaceId) => traceSteps.exchangesOf({ workspaceId, at }, 'run', { behind: null, limit: 10 }),
  ],
  [
    'known ids',
    ({ imports }, workspaceId) => imports.known({ workspaceId, at, requestIds: ['r'], entryIds: [] } as never),
  ],
]

it.each(reads)(
  'slow reads of %s take two places, and those of another workspace begin at once',
  async (_what, read) => {
    const running: unknown[] = []
    const clickHouse: ClickHouse = {
      read: (_text: string, { workspace }: Parameters) => {
        running.push(workspace)
        return new Promise(() => undefined)
      },
      insert: async () => undefined,
      change: async () => undefined,
      close: async () => undefined,
    }
    const places = createFairPlaces({ places: 8, maxOfOwner: 2 })
    const upkeep = { labels: async () => new Map() } as unknown as StoreUpkeep
    const store = createClickHouseExchangeStore({ clickHouse, upkeep, now: () => at, places })
    const [busy, other] = [randomUUID(), randomUUID()]
    for (let count = 0; count < 6; count += 1) void read(store, busy).catch(() => undefined)
    void read(store, other).catch(() => undefined)
    await eventually(() => expect(running).toContain(other))
    expect(running.filter((workspace) => workspace === busy)).toHaveLength(2)
  },
)
