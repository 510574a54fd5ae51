import { readdir, readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { EscrowLedger } from '../src/ledger/escrow-ledger.ts'
import { createLedgerRouting } from '../src/ledger/ledger-routing.ts'
import type { LedgerStore } from '../src/ledger/ledger-store.ts'
import { createPgEscrowLedger } from '../src/ledger/pg-escrow-ledger.ts'
import { startPostgresServer } from './postgres-server.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    wallets: { type: 'string', default: '1' },
    shards: { type: 'string', default: '1' },
    ms: { type: 'string', default: '3000' },
    concurrency: { type: 'string', default: '1,16,64,256' },
    rows: { type: 'string', default: '0' },
    path: { type: 'string', default: 'rows,blocks' },
  },
})

const print = (line: string) => void process.stdout.write(`${line}\n`)

/** One ledger with its database, on a separate Postgres server unless `--url` names one. */
interface Shard {
  readonly pool: Pool
  readonly admin: Pool
  readonly wallets: readonly string[]
  readonly stop: () => Promise<void>
}

const shardCount = values.url === undefined ? Number(values.shards) : 1
const shards = await Promise.all(Array.from({ length: shardCount }, startShard))
const wallets = shards.flatMap((shard) => shard.wallets)
if (Number(values.rows) > 0) await createHistory(shards[0]?.admin, Number(values.rows), wallets[0] ?? '')

print(`${shards.length} servers, ${wallets.length} workspaces, load average ${loadavg()[0]?.toFixed(2)} before`)
print('path | conc | hold p50/p99 ms | settle p50/p99 ms | pairs/s | node µs/pair | postgres µs/pair')
for (const [path, concurrency] of plans()) {
  const ledgers = shards.map(openLedger)
  const store = storeOf(ledgers)
  const upkeep = setInterval(() => void Promise.all(ledgers.map((ledger) => ledger.upkeep())), 250)
  const isUnique = path === 'blocks'
  await load(store, wallets, { concurrency, ms: 1_000, isUnique })
  const before = await usage()
  const started = performance.now()
  const { holds, settles } = await load(store, wallets, { concurrency, ms: Number(values.ms), isUnique })
  const seconds = (performance.now() - started) / 1_000
  const after = await usage()
  const perPair = (key: 'node' | 'postgres') => (((after[key] - before[key]) * 1e6) / holds.length).toFixed(1)
  print(
    `${path} | ${concurrency} | ${quantiles(holds)} | ${quantiles(settles)} | ${(holds.length / seconds).toFixed(0)} | ${perPair('node')} | ${perPair('postgres')}`,
  )
  clearInterval(upkeep)
  for (const ledger of ledgers) {
    ledger.giveBackAll()
    await ledger.idle()
  }
}
for (const { admin } of shards) {
  const { rows } = await admin.query(
    `SELECT relname, n_tup_ins ins, n_tup_upd upd, n_tup_hot_upd hot, seq_scan, idx_scan, pg_size_pretty(pg_total_relation_size(relid)) size
     FROM pg_stat_user_tables WHERE n_tup_ins > 0 AND
       (relname IN ('wallet', 'billing_request', 'ledger_entry', 'escrow_block') OR relname LIKE 'charge%')`,
  )
  for (const row of rows) print(JSON.stringify(row))
}
await Promise.all(shards.map(({ stop }) => stop()))

async function startShard(): Promise<Shard> {
  const server = values.url === undefined ? await startPostgresServer() : null
  const url = values.url ?? server?.url('postgres') ?? ''
  if (server !== null) await migrate(url)
  const pool = connectPool({ databaseUrl: url, max: 10, role: 'ratchet_inference' })
  const admin = connectPool({ databaseUrl: url, max: 2 })
  return {
    pool,
    admin,
    wallets: await createWallets(admin, Math.ceil(Number(values.wallets) / shardCount)),
    async stop() {
      await Promise.all([pool.end(), admin.end()])
      await server?.remove()
    },
  }
}

function openLedger({ pool }: Shard): EscrowLedger {
  return createPgEscrowLedger({
    pool,
    ownerId: uuidV7(Date.now()),
    onEvent: () => undefined,
    holdSilenceMs: 5_000,
    newId: () => uuidV7(Date.now()),
    usableMs: 15_000,
    renewMs: 1_000,
    carveAfterMs: 5_000,
  })
}

/** Several ledgers behind one port, as in a process that has them. */
function storeOf(ledgers: readonly EscrowLedger[]): Pick<LedgerStore, 'hold' | 'close'> {
  const [only] = ledgers
  if (only !== undefined && ledgers.length === 1) return only
  const names = new Map(shards.flatMap((shard, index) => shard.wallets.map((id) => [id, String(index)] as const)))
  const routing = createLedgerRouting({
    ledgers: new Map(ledgers.map((ledger, index) => [String(index), ledger])),
    workspaces: { of: (id) => names.get(id) ?? '' },
  })
  return { hold: routing.hold, close: (closing) => routing.close(closing, (ledger) => ledger.close(closing)) }
}

interface Load {
  readonly concurrency: number
  readonly ms: number
  /** Whether blocks may be held from. */
  readonly isUnique: boolean
}

function plans(): readonly (readonly [path: string, concurrency: number])[] {
  const all = values.concurrency.split(',').map(Number)
  return values.path.split(',').flatMap((path) => all.map((concurrency) => [path, concurrency] as const))
}

async function load(
  ledger: Pick<LedgerStore, 'hold' | 'close'>,
  walletIds: readonly string[],
  { concurrency, ms, isUnique }: Load,
) {
  const holds: number[] = []
  const settles: number[] = []
  const until = performance.now() + ms
  const loop = async (index: number) => {
    for (let turn = index; performance.now() < until; turn += 1) {
      const workspaceId = walletIds[turn % walletIds.length] ?? ''
      const billingId = uuidV7(Date.now())
      const t0 = performance.now()
      const outcome = await ledger.hold({
        billingId,
        workspaceId,
        amountNano: 1_000n,
        kind: 'chat',
        model: 'sim/large',
        priceVersion: '2026-11-01',
        labels: { keyId: workspaceId, tag: `part ${index % 3}`, alias: index % 2 === 0 ? null : 'support' },
        isUnique,
      })
      if (outcome !== 'held') throw new Error(outcome)
      const t1 = performance.now()
      const tokens = { promptTokens: 210, completionTokens: 80 }
      await ledger.close({ billingId, workspaceId, costNano: 600n, tokens, outcome: 'posted' })
      holds.push(t1 - t0)
      settles.push(performance.now() - t1)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, (_, index) => loop(index)))
  return { holds, settles }
}

async function createWallets(db: Pool, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => uuidV7(Date.now()))
  for (const id of ids) {
    await db.query(`INSERT INTO workspace (id, slug, name, created_at) VALUES ($1::uuid, $1::text, 'm', now())`, [id])
    await db.query('INSERT INTO wallet (workspace_id, balance) VALUES ($1, 1e17)', [id])
  }
  return ids
}

async function createHistory(db: Pool | undefined, rows: number, walletId: string): Promise<void> {
  await db?.query(
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, cost, deadline, closed_at, state, kind, model, price_version)
     SELECT gen_random_uuid(), $1, $1, 10, 5, now(), now(), 'posted', 'chat', 'sim/large', '2026-11-01' FROM generate_series(1, $2)`,
    [walletId, rows],
  )
}

function quantiles(samples: readonly number[]): string {
  const sorted = [...samples].sort((a, b) => a - b)
  return [0.5, 0.99].map((q) => (sorted[Math.floor(q * (sorted.length - 1))] ?? 0).toFixed(2)).join(' / ')
}

/** CPU seconds of this process, and of the servers with all their backends. */
async function usage(): Promise<{ node: number; postgres: number }> {
  const { user, system } = process.cpuUsage()
  const servers = new Set(await Promise.all(shards.map(postmaster)))
  let ticks = 0
  for (const pid of await readdir('/proc')) {
    const stat = /^\d+$/.test(pid) ? await statOf(pid) : []
    if (servers.has(pid) || servers.has(stat[1] ?? '')) ticks += Number(stat[11]) + Number(stat[12])
  }
  return { node: (user + system) / 1e6, postgres: ticks / 100 }
}

async function postmaster({ admin }: Shard): Promise<string> {
  const { rows } = await admin.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return (await statOf(String(rows[0]?.pid)))[1] ?? ''
}

/** The fields of /proc/<pid>/stat after the command's name. */
async function statOf(pid: string): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
