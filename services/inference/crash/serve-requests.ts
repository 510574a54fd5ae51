import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { seededRandom } from '@ratchet/testing/seeded-random'
import pg from 'pg'
import { pino } from 'pino'
import { createExactWallets } from '../src/ledger/exact-wallets.ts'
import { type Ledger, LedgerUnavailable } from '../src/ledger/ledger.ts'
import { createPgRecalls } from '../src/ledger/pg-escrow-store.ts'
import { startLedger } from '../src/start-ledger.ts'
import type { JobHolds } from '../src/training-money/job-holds.ts'
import { createPgJobHolds } from '../src/training-money/pg-job-holds.ts'
import { type EvidenceKind, openEvidence } from './evidence.ts'
import { createForgetfulSpill } from './forgetful-spill.ts'
import { mutations, unmutated } from './mutations.ts'
import { between } from './random.ts'
import { trainJob } from './train-jobs.ts'
import {
  budgetsOf,
  type CrashWallet,
  capOf,
  costOf,
  crashTiming,
  holdNano,
  jobKeepMs,
  type WorkerOrders,
} from './workload.ts'

/** Of so many loops of a worker, one trains jobs. */
const jobsEvery = 4

/** The dependencies of one worker. */
interface Worker {
  readonly orders: WorkerOrders
  readonly ledger: Ledger
  readonly holds: JobHolds
  readonly ownerId: string
  readonly random: () => number
  readonly evidence: (kind: EvidenceKind, what: string) => void
  readonly acksBeforeSettle: boolean
  readonly forgetsJudgements: boolean
}

/**
 * Serves requests until it is stopped, with the real ledger, a provider that is a pause, and clients that are lines in
 * the evidence. The process may die at any instruction.
 */
export async function serveRequests(ordersJson: string): Promise<void> {
  const orders = JSON.parse(ordersJson) as WorkerOrders
  const stops: Stop[] = []
  const worker = await openWorker(orders, (stop) => stops.push(stop))
  let finishing = false
  const onAbandoned = () => process.exit(1)
  process.on('message', () => {
    finishing = true
  })
  process.on('disconnect', onAbandoned)
  if (!process.connected) onAbandoned() // the harness ended before the handler was registered
  process.send?.('serving', () => undefined)
  const loop = async (_: unknown, index: number) => {
    const isTraining = index % jobsEvery === 0
    while (!finishing) await (isTraining ? trainJob(worker, pickWallet(worker)) : exchange(worker))
  }
  await Promise.all(Array.from({ length: orders.loops }, loop))
  await runStops(stops, pino({ level: 'silent' }))
  process.off('disconnect', onAbandoned)
  process.disconnect()
}

async function openWorker(orders: WorkerOrders, onStop: (stop: Stop) => void): Promise<Worker> {
  const { statements, jobStatements, acksBeforeSettle, timing, forgetsBlocks, forgetsJudgements } =
    mutations[orders.mutation ?? ''] ?? unmutated
  const ownerId = randomUUID()
  const evidence = openEvidence(orders.evidenceFile)
  // plain node-postgres, because with Prisma a process takes longer to start than it lives
  const pool = new pg.Pool({
    connectionString: orders.databaseUrl,
    options: '-c role=ratchet_inference',
    max: 11,
    connectionTimeoutMillis: 500,
    statement_timeout: 2_000,
  })
  pool.on('error', () => undefined)
  onStop(() => pool.end())
  const ledger = await startLedger({
    pool,
    redis: forgetsBlocks ? createForgetfulSpill(orders.spillDir) : null,
    // a file cannot be a folder: then only the forgetful spill has anything
    spillDir: forgetsBlocks ? `${orders.evidenceFile}/none` : orders.spillDir,
    ownerId,
    logger: pino({ level: 'silent' }),
    onStop,
    onEvent: ({ kind }) => evidence('event', kind),
    timing: { ...crashTiming, ...timing },
    statements,
  })
  const holds = createPgJobHolds({
    pool,
    exact: createExactWallets({ store: createPgRecalls({ pool }) }),
    onEvent: ({ kind }) => evidence('event', `job_${kind}`),
    newId: () => uuidV7(Date.now()),
    keepMs: jobKeepMs,
    statements: jobStatements,
  })
  const random = seededRandom(orders.seed)
  return { orders, ledger, holds, ownerId, evidence, acksBeforeSettle, forgetsJudgements, random }
}

/** One request from its hold to its last byte. */
async function exchange(worker: Worker): Promise<void> {
  const { ledger, evidence, random } = worker
  const { workspaceId } = pickWallet(worker)
  const isShared = random() < 0.1
  const billingId = isShared ? sharedId(workspaceId, random) : uuidV7(Date.now())
  const priced = { kind: 'chat', model: 'sim/large', priceVersion: '1' }
  const hold = { billingId, workspaceId, amountNano: holdNano, ...priced, isUnique: !isShared }
  const fromMs = Date.now()
  const capped = random() < 0.2 ? { ...hold, cap: capOf(workspaceId, Date.now()) } : hold
  const budgeted = random() < 0.3 ? { ...capped, budgets: budgetsOf(workspaceId, Date.now(), random()) } : capped
  const outcome = await ledger
    .hold(budgeted)
    .catch((error: unknown) => (error instanceof LedgerUnavailable ? 'unavailable' : 'failed'))
  evidence('event', outcome)
  // shared work whose first worker died is done by another worker and settled late
  if (outcome !== 'held' && !(isShared && outcome === 'voided')) {
    await delay(between(random, 10, 40))
    return
  }
  evidence('called', [billingId, workspaceId, worker.ownerId, fromMs, Date.now()].join(' '))
  await stream(worker, billingId)
  if (isShared || random() < 0.95) return finish(worker, billingId, workspaceId)
  await ledger.release(billingId, workspaceId)
  evidence('released', billingId)
}

/** Half of the traffic goes to the wallets that run out. */
function pickWallet({ orders, random }: Worker): CrashWallet {
  const crowd = random() < 0.5 ? orders.wallets.filter(({ size }) => size !== 'large') : orders.wallets
  const wallet = crowd[Math.floor(random() * crowd.length)]
  if (wallet === undefined) throw new Error('no wallets')
  return wallet
}

/** Work that several workers do under one id, like evaluations. The worker with the hold does it first. */
function sharedId(workspaceId: string, random: () => number): string {
  return deterministicId(workspaceId, String(Math.floor(Date.now() / 2_000)), String(Math.floor(random() * 4)))
}

/** Some requests are long: they record their cost so far, for which they need a row of their own. */
async function stream({ ledger, random }: Worker, billingId: string): Promise<void> {
  const isLong = random() < 0.25
  const steps = 1 + Math.floor(random() * 6)
  for (let step = 1; step <= steps; step += 1) {
    await delay(between(random, 2, 40))
    if (isLong) ledger.checkpoint({ billingId, costNano: (costOf(billingId) * BigInt(step)) / BigInt(steps + 1) })
  }
}

async function finish(worker: Worker, billingId: string, workspaceId: string): Promise<void> {
  const { ledger, evidence, random, acksBeforeSettle } = worker
  const settle = { billingId, workspaceId, costNano: costOf(billingId) }
  if (acksBeforeSettle) evidence('acked', billingId)
  await ledger.settle(settle)
  evidence('acked', billingId)
  if (random() < 0.1) await ledger.settle(settle) // as if the answer had been lost
}
