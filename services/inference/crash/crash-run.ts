import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { topUp } from '@ratchet/db/top-up'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { pino } from 'pino'
import { startLedger } from '../src/start-ledger.ts'
import { type Evidence, readEvidence } from './evidence.ts'
import { mutations, unmutated } from './mutations.ts'
import type { PostgresServer } from './postgres-server.ts'
import { between } from './random.ts'
import { type Verdict, verify } from './verify.ts'
import { startWorkerGroup, type WorkerGroup } from './worker-group.ts'
import { type CrashWallet, crashTiming } from './workload.ts'

export interface CrashRunOptions {
  readonly server: PostgresServer
  readonly seed: number
  /** Seconds during which faults are injected. */
  readonly seconds: number
  readonly mutation: string | null
  /** Ends the run early with an error. */
  readonly interrupted: AbortSignal
  readonly onProgress: (progress: { seconds: number; kills: number; crashes: number; evidence: Evidence }) => void
}

export interface CrashReport extends Verdict {
  readonly seed: number
  readonly mutation: string | null
  readonly kills: number
  readonly freezes: number
  readonly postgresCrashes: number
  readonly requests: number
  readonly providerCalls: number
  readonly acked: number
  readonly spills: number
  readonly refused: number
  /** Training jobs that were charged. */
  readonly jobs: number
}

const workers = 4
const loopsPerWorker = 24
const walletSizes = ['small', 'middle', 'large', 'large'] as const
/** What a wallet has at first, and what a wallet that runs out gets in addition, with the milliseconds between. */
const credits = {
  small: { firstNano: 5_000n, moreNano: 5_000n, everyMs: 1_000 },
  middle: { firstNano: 400_000n, moreNano: 300_000n, everyMs: 4_000 },
  large: { firstNano: 10n ** 12n, moreNano: 0n, everyMs: 0 },
} as const
const quietWithinMs = 20_000
/** Errors of database constraints that a correct ledger never violates. */
const guardFired = /violates check constraint|is final and nothing reopens|entries are only ever added/

/** Lets workers serve requests while they and their database are killed, then checks every nano-dollar. */
export async function crashRun(options: CrashRunOptions): Promise<CrashReport> {
  const { server, seed, mutation } = options
  const folder = await mkdtemp(path.join(server.folder, 'run-'))
  const database = `crash_${seed}_${(mutation ?? 'clean').replaceAll('-', '_')}`
  const logStart = server.log.length
  await server.createDatabase(database)
  const databaseUrl = server.url(database)
  await migrate(databaseUrl)
  const operator = connectPool({ databaseUrl, max: 2, connectTimeoutMs: 2_000 })
  try {
    const wallets = await openWallets(operator, mutation)
    const orders = { databaseUrl, spillDir: path.join(folder, 'spill'), loops: loopsPerWorker, mutation, wallets }
    const group = startWorkerGroup({
      size: workers,
      orders: (n) => ({ ...orders, seed: seed * 100_003 + n, evidenceFile: path.join(folder, `${n}.evidence`) }),
    })
    const seen = new Set<string>()
    const scene = { group, operator, wallets, folder, seen }
    const postgresCrashes = await rain(options, scene).finally(() => group.abandon())
    await becomeQuiet(orders, operator)
    const evidence = readEvidence(folder)
    const verdict = await verify(operator, evidence, wallets)
    const fired = server.log.slice(logStart).filter((line) => guardFired.test(line))
    const failures = [
      ...seen,
      ...(fired.length === 0 ? [] : [`guards of the database fired ${fired.length} times, e.g. ${fired[0]}`]),
      ...(group.counts.unexpectedExits === 0 ? [] : [`${group.counts.unexpectedExits} workers ended by themselves`]),
      ...(evidence.acked.size === 0 ? ['no request was ever answered'] : []),
      ...(evidence.charged.size === 0 ? ['no training job was ever charged'] : []),
      ...(verdict.judgedRuns === 0 ? ['no judge of a run was ever charged'] : []),
    ]
    return {
      ...verdict,
      violations: [...verdict.violations, ...failures],
      seed,
      mutation,
      ...group.counts,
      postgresCrashes,
      ...countEvidence(evidence),
    }
  } finally {
    await operator.end()
    await rm(folder, { recursive: true, force: true })
  }
}

async function openWallets(operator: Pool, mutation: string | null): Promise<readonly CrashWallet[]> {
  const wallets = walletSizes.map((size) => ({ workspaceId: randomUUID(), size }))
  for (const { workspaceId, size } of wallets) {
    await operator.query('INSERT INTO workspace VALUES ($1::uuid, $1::text, $1::text, now())', [workspaceId])
    await topUp(operator, { workspaceId, amountNano: credits[size].firstNano, reference: workspaceId })
  }
  for (const statement of (mutations[mutation ?? ''] ?? unmutated).dropGuards) await operator.query(statement)
  return wallets
}

interface Scene {
  readonly group: WorkerGroup
  readonly operator: Pool
  readonly wallets: readonly CrashWallet[]
  readonly folder: string
  /** Problems that were found during the run. */
  readonly seen: Set<string>
}

/** Injects faults for the run's seconds, each kind with its own interval. Then every worker finishes its work. */
async function rain(
  { server, seed, seconds, interrupted, onProgress }: CrashRunOptions,
  scene: Scene,
): Promise<number> {
  const { group, folder } = scene
  const random = seededRandom(seed)
  const over = AbortSignal.any([AbortSignal.timeout(seconds * 1_000), interrupted])
  const started = performance.now()
  let crashes = 0
  await Promise.all([
    every(
      over,
      () => between(random, 200, 600),
      () => group.kill(random()),
    ),
    every(
      over,
      () => between(random, 800, 2_000),
      () => group.freeze(random(), between(random, 1_500, 3_000)),
    ),
    every(
      over,
      () => between(random, 4_000, 8_000),
      async () => {
        await server.crash()
        crashes += 1
        await server.start()
      },
    ),
    ...(['small', 'middle'] as const).map((size) =>
      every(
        over,
        () => credits[size].everyMs,
        () => refill(scene, size),
      ),
    ),
    every(
      over,
      () => 100,
      () => watch(scene),
    ),
    every(
      over,
      () => 5_000,
      () => {
        const elapsed = Math.round((performance.now() - started) / 1_000)
        onProgress({ seconds: elapsed, kills: group.counts.kills, crashes, evidence: readEvidence(folder) })
      },
    ),
  ])
  interrupted.throwIfAborted()
  await group.finish()
  return crashes
}

async function every(over: AbortSignal, pauseMs: () => number, act: () => unknown): Promise<void> {
  for (;;) {
    await delay(pauseMs(), undefined, { signal: over }).catch(() => undefined)
    if (over.aborted) return
    await act()
  }
}

/** Tops up wallets that run out. The top-up is repeated under one reference until the database has committed it. */
async function refill({ operator, wallets }: Scene, which: 'small' | 'middle'): Promise<void> {
  for (const { workspaceId } of wallets.filter(({ size }) => size === which)) {
    const credit = { workspaceId, amountNano: credits[which].moreNano, reference: randomUUID() }
    while (
      !(await topUp(operator, credit).then(
        () => true,
        () => false,
      ))
    )
      await delay(50)
  }
}

/** Audits the ledger during the run, because a temporary violation may have disappeared at the end. */
async function watch({ operator, seen }: Scene): Promise<void> {
  const { rows } = await operator.query<{ problem: string }>(momentaryProblems).catch(() => ({ rows: [] }))
  for (const { problem } of rows) seen.add(problem)
}

const momentaryProblems = `
SELECT '0 <= held <= balance: broken while running' AS problem FROM wallet WHERE held < 0 OR held > balance
UNION SELECT 'held = holds of open requests + unbooked blocks: broken while running' FROM wallet w
WHERE held <> (SELECT coalesce(sum(hold), 0) FROM billing_request b WHERE b.wallet_id = w.workspace_id AND state = 'open')
  + (SELECT coalesce(sum(amount), 0) FROM escrow_block b WHERE b.wallet_id = w.workspace_id AND state <> 'booked')`

/** Does what a process started after the disaster would do: replays the spill, sweeps holds without an owner. */
async function becomeQuiet(
  { databaseUrl, spillDir, mutation }: { databaseUrl: string; spillDir: string; mutation: string | null },
  operator: Pool,
): Promise<void> {
  const stops: Stop[] = []
  const logger = pino({ level: 'silent' })
  const pool = connectPool({ databaseUrl, role: 'ratchet_inference', max: 9 })
  const { statements } = mutations[mutation ?? ''] ?? unmutated
  await startLedger({
    pool,
    redis: null,
    spillDir,
    ownerId: randomUUID(),
    logger,
    onStop: (stop) => stops.push(stop),
    timing: crashTiming,
    statements,
  })
  const deadline = performance.now() + quietWithinMs
  while (performance.now() < deadline && !(await isQuiet(operator, spillDir))) await delay(100)
  await runStops(stops, logger)
  await pool.end()
}

async function isQuiet(operator: Pool, spillDir: string): Promise<boolean> {
  const { rows } = await operator.query(
    `SELECT 1 FROM billing_request WHERE state = 'open' UNION ALL SELECT 1 FROM escrow_block WHERE state <> 'booked' LIMIT 1`,
  )
  const spilled = await readdir(spillDir).catch(() => [])
  return rows.length === 0 && !spilled.some((name) => /\.(json|block)$/.test(name))
}

function countEvidence({ called, acked, charged, events }: Evidence) {
  const answers = ['held', 'open', 'posted', 'voided', 'refused', 'unavailable', 'failed']
  const requests = answers.reduce((sum, answer) => sum + (events.get(answer) ?? 0), 0)
  const count = (kind: string) => events.get(kind) ?? 0
  const jobs = [...charged.values()].filter((cost) => cost > 0n).length
  return {
    jobs,
    requests,
    providerCalls: called.size,
    acked: acked.size,
    spills: count('spill'),
    refused: count('refused'),
  }
}
