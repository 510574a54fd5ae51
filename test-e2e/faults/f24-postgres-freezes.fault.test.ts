import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { type Api, apiOf } from '../judged-traffic.ts'
import { choose } from '../workspace-with.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import { loadDuring, percentile, statusesOf, tenths, timesOf } from './load.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './own-stores.ts'

let postgres: OwnPostgres

const load = { clients: 4, model: 'sim/echo' }
/** Latency in each direction, milliseconds, as to a database in another city. */
const lagMs = 10
/** Timeout of a statement of the request path, after which another connection is used, milliseconds. */
const statementMs = 5_000

describeFault(
  {
    id: 'F24',
    title: 'Postgres freezes completely, or some of its connections do, or it is slow',
    promise: '503 within 300 ms, no endless wait; pools recover automatically; slow reports do not delay chats',
    async fleet(onStop) {
      postgres = await ownPostgres(onStop)
      const stores = await storesWith(onStop, { databaseUrl: await migratedDatabase(postgres) })
      return { stores, workspace: { balanceUsd: '1000.00' }, env: { DATABASE_SILENCE_MS: '250' } }
    },
  },
  (fault) => {
    beforeAll(() => choose(fault.fleet, fault.fleet.workspace, { loggingEnabled: true }))

    it('refuses new calls in time while it is frozen, finishes streams, and continues afterwards', async () => {
      const begun = await Promise.all(
        Array.from({ length: 20 }, () => fault.begin({ model: 'sim/pace-50', stream: true, body: { max_tokens: 40 } })),
      )
      postgres.freeze()
      const streams = Promise.all(begun.map(({ read }) => read()))
      const refused = []
      for (let i = 0; i < 10; i++) refused.push(await fault.ask({ model: 'sim/echo' }))
      const read = await streams
      postgres.thaw()
      expect(statusesOf(refused)).toEqual({ 503: refused.length })
      expect(refused.every(({ headers }) => /^\d+$/.test(headers.get('retry-after') ?? ''))).toBe(true)
      fault.note(
        '503 after, median and slowest, ms',
        `${tenths(percentile(refused, 0.5))}, ${tenths(percentile(refused, 1))}`,
      )
      expect(percentile(refused, 0.5)).toBeLessThan(300)
      expect(percentile(refused, 1)).toBeLessThan(400)
      expect(read.filter(({ whole }) => !whole)).toEqual([])
      await eventually(async () => (await fault.ask({ model: 'sim/echo' })).status === 200, { withinMs: 45_000 })
    }, 60_000)

    it('recovers while all earlier connections remain frozen', async () => {
      const frozen = await freezeConnections(fault)
      try {
        const during = await loadDuring(fault, load, () => elapse(statementMs))
        const { 200: delivered = 0, 503: refused = 0, ...others } = statusesOf(during)
        fault.note('connections frozen', frozen.length)
        fault.note('503 until healed', refused)
        expect(others).toEqual({})
        expect(refused).toBeGreaterThan(0)
        expect(delivered).toBeGreaterThan(0)
        const after = await loadDuring(fault, load, () => elapse(1_000))
        expect(statusesOf(after)).toEqual({ 200: after.length })
      } finally {
        for (const pid of frozen) process.kill(pid, 'SIGCONT')
      }
    }, 60_000)

    it('does not delay chats while reports take too long', async () => {
      const calm = await loadDuring(fault, load, () => elapse(2_000))
      const release = await lock('exchange')
      const reports: Promise<number>[] = []
      const underFault = await loadDuring(fault, load, async () => {
        reports.push(...slowReports(apiOf(fault.fleet, fault.fleet.workspace)))
        await elapse(3_000)
      })
      await release()
      const statuses = await Promise.all(reports)
      fault.note('beside slow reports p50, p99, ms', `${timesOf(underFault)} (calm ${timesOf(calm)})`)
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(statusesOf(underFault)).toEqual({ 200: underFault.length })
      expect(percentile(underFault, 0.5)).toBeLessThan(2 * percentile(calm, 0.5))
    }, 60_000)

    it('only answers later when every packet is delayed', async () => {
      fault.fleet.postgres.delay(lagMs)
      const slow = await loadDuring(fault, load, () => elapse(2_000))
      await fault.fleet.postgres.restore()
      fault.note('p50, p99 with 20 ms more to Postgres and back, ms', timesOf(slow))
      expect(statusesOf(slow)).toEqual({ 200: slow.length })
    }, 60_000)
  },
)

/** Stops each idle process that serves a connection of the fleet, because an idle one holds no lock. */
async function freezeConnections({ fleet }: Fault): Promise<readonly number[]> {
  const { rows } = await withClient(fleet.databaseUrl, (client) =>
    client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle' AND pid <> pg_backend_pid()`,
    ),
  )
  const pids = rows.map(({ pid }) => pid)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return pids
}

/** Starts more concurrent reads of the log than it has connections; resolves with their statuses. */
function slowReports(api: Api): readonly Promise<number>[] {
  return Array.from({ length: 30 }, async () => (await api('GET', '/logs?limit=200')).status)
}

/** Makes every statement on a table wait. Resolves with a function that ends it. */
async function lock(table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: postgres.url('ratchet') })
  await client.connect()
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
  return () => client.end()
}

async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
