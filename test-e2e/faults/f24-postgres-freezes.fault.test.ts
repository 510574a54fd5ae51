import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import { type Api, apiOf } from '../judged-traffic.ts'
import { choose } from '../workspace-with.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import { loadDuring, percentile, statusesOf, tenths, timesOf } from './load.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './own-stores.ts'

let postgres: OwnPostgres

const load = { clients: 4, model: 'sim/echo' }
/** Each way, milliseconds: a database in another city. */
const lagMs = 10
/** Longest that the hot path waits for a statement before it takes another connection, milliseconds. */
const statementMs = 5_000

describeFault(
  {
    id: 'F24',
    title: 'Postgres freezes, whole or some of its connections, or is slow',
    promise: '503 within 300 ms, no wait without end; pools heal by themselves; slow reports keep no chat waiting',
    async fleet(onStop) {
      postgres = await ownPostgres(onStop)
      const stores = await storesWith(onStop, { databaseUrl: await migratedDatabase(postgres) })
      return { stores, workspace: { balanceUsd: '1000.00' }, env: { DATABASE_SILENCE_MS: '250' } }
    },
  },
  (fault) => {
    beforeAll(() => choose(fault.fleet, fault.fleet.workspace, { loggingEnabled: true }))

    it('frozen, sends new calls away in time, lets streams finish and goes on when it thaws', async () => {
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
      await eventually(async () => (await fault.ask({ model: 'sim/echo' })).status === 200, { withinMs: 10_000 })
    }, 60_000)

    it('heals while every connection that it had stays frozen', async () => {
      const frozen = await freezeConnections(fault)
      try {
        const during = await loadDuring(fault, load, () => sleep(statementMs))
        const { 200: delivered = 0, 503: refused = 0, ...others } = statusesOf(during)
        fault.note('connections frozen', frozen.length)
        fault.note('503 until healed', refused)
        expect(others).toEqual({})
        expect(refused).toBeGreaterThan(0)
        expect(delivered).toBeGreaterThan(0)
        const after = await loadDuring(fault, load, () => sleep(1_000))
        expect(statusesOf(after)).toEqual({ 200: after.length })
      } finally {
        for (const pid of frozen) process.kill(pid, 'SIGCONT')
      }
    }, 60_000)

    it('keeps no chat waiting for reports that take too long', async () => {
      const calm = await loadDuring(fault, load, () => sleep(2_000))
      const release = await lock('exchange')
      const reports: Promise<number>[] = []
      const stormy = await loadDuring(fault, load, async () => {
        reports.push(...slowReports(apiOf(fault.fleet, fault.fleet.workspace)))
        await sleep(3_000)
      })
      await release()
      const statuses = await Promise.all(reports)
      fault.note('beside slow reports p50, p99, ms', `${timesOf(stormy)} (calm ${timesOf(calm)})`)
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(statusesOf(stormy)).toEqual({ 200: stormy.length })
      expect(percentile(stormy, 0.5)).toBeLessThan(2 * percentile(calm, 0.5))
    }, 60_000)

    it('answers later when every packet does, and no other way', async () => {
      fault.fleet.postgres.delay(lagMs)
      const slow = await loadDuring(fault, load, () => sleep(2_000))
      await fault.fleet.postgres.restore()
      fault.note('p50, p99 with 20 ms more to Postgres and back, ms', timesOf(slow))
      expect(statusesOf(slow)).toEqual({ 200: slow.length })
    }, 60_000)
  },
)

/** Stops each process that serves a connection of the fleet and has nothing to do, so that none of them holds a lock. */
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

/** More reads of the log at once than it has connections; their statuses. */
function slowReports(api: Api): readonly Promise<number>[] {
  return Array.from({ length: 30 }, async () => (await api('GET', '/logs?limit=200')).status)
}

/** Has every statement about a table wait, as for one that takes very long. Resolves with what ends that. */
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
