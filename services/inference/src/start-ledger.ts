import { setTimeout as delay } from 'node:timers/promises'
import { auditLedger } from '@ratchet/db/audit-ledger'
import type { Pool } from '@ratchet/db/connect-pool'
import { mainLedger } from '@ratchet/db/ledger-urls'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { Logger } from 'pino'
import type { AuditReport } from './ledger/audit-report.ts'
import type { EscrowLedger } from './ledger/escrow-ledger.ts'
import type { Ledger, LedgerEvent, OnLedgerEvent } from './ledger/ledger.ts'
import { ensureChargePartitions } from './ledger/pg-charge-partitions.ts'
import { createPgEscrowLedger } from './ledger/pg-escrow-ledger.ts'
import { warmUpPgLedger } from './ledger/pg-ledger.ts'
import { beat, retire } from './ledger/pg-ledger-owner.ts'
import { type LedgerStatements, ledgerStatements } from './ledger/pg-ledger-statements.ts'
import { sweepBlocks, sweepLedger } from './ledger/pg-ledger-sweeper.ts'
import { listenForRecalls } from './ledger/pg-recall-listener.ts'
import { createSpill, type SpillRedis } from './ledger/spill.ts'
import { createSpillingLedger, type SpillingLedger } from './ledger/spilling-ledger.ts'

/** Intervals of the ledger in milliseconds. Heartbeats must be more frequent than sweeps. */
export interface LedgerTiming {
  readonly holdSilenceMs: number
  readonly settleWaitMs: number
  readonly statementTimeoutMs: number
  readonly holdTtlMs: number
  readonly beatEveryMs: number
  readonly sweepEveryMs: number
  readonly missedSweeps: number
  readonly abandonedAfterMs: number
  /** While closings wait; five times as long while none does. */
  readonly replayEveryMs: number
  /** As in `EscrowTiming`; at most half of `holdTtlMs`. */
  readonly blockUsableMs: number
  readonly blockRenewMs: number
  readonly carveAfterMs: number
}

const defaultLedgerTiming: LedgerTiming = {
  holdSilenceMs: 250,
  settleWaitMs: 250,
  statementTimeoutMs: 2_000,
  holdTtlMs: 30_000,
  beatEveryMs: 2_000,
  sweepEveryMs: 5_000,
  missedSweeps: 3,
  abandonedAfterMs: hourMs,
  replayEveryMs: 1_000,
  blockUsableMs: 15_000,
  blockRenewMs: 1_000,
  carveAfterMs: 5_000,
}

export interface StartLedgerOptions {
  /** The ledger's name; absent: the main one's. */
  readonly name?: string
  /** For the ledger alone, at least 9 connections, of which one listens. Its sessions have plan settings that fit only its statements. */
  readonly pool: Pool
  /** A pool for long statements, because the audit reads whole tables; by default `pool`. */
  readonly auditPool?: Pool
  readonly redis: SpillRedis | null
  /** A folder that outlives the process. */
  readonly spillDir: string
  /** A UUID of this process, new for every start. */
  readonly ownerId: string
  readonly logger: Pick<Logger, 'warn' | 'error' | 'info'>
  readonly onStop: OnStop
  readonly onEvent?: OnLedgerEvent
  readonly timing?: Partial<LedgerTiming>
  readonly statements?: LedgerStatements
}

export interface RunningLedger extends Ledger {
  audit(): Promise<AuditReport>
  /** Number of closings that wait for the database. */
  waiting(): number
}

/**
 * The ledger of one process with its heartbeat, its sweeper and the replay of spilled closings. It also starts without
 * the database; holds then fail with LedgerUnavailable.
 */
export async function startLedger(options: StartLedgerOptions): Promise<RunningLedger> {
  const { name, pool, auditPool = pool, onStop } = options
  const timing = { ...defaultLedgerTiming, ...options.timing }
  const onEvent = listen(options)
  const { ledger, escrow } = compose(options, timing, onEvent)
  onStop(() => leaveNothing(options, ledger, escrow))
  await warmUpPgLedger({ ...options, onEvent }).catch((error: unknown) => {
    options.logger.warn({ err: error }, 'ledger not warmed up')
  })
  for (const stop of await startLoops(options, timing, ledger, onEvent)) onStop(stop)
  for (const stop of await startEscrow(options, timing, escrow)) onStop(stop)
  return { ...ledger, audit: () => auditLedger(auditPool, name), waiting: () => ledger.waiting }
}

interface Parts {
  readonly ledger: SpillingLedger
  readonly escrow: EscrowLedger
}

function compose(options: StartLedgerOptions, timing: LedgerTiming, onEvent: OnLedgerEvent): Parts {
  const { pool, redis, spillDir, ownerId, logger, statements = ledgerStatements } = options
  const { holdSilenceMs, statementTimeoutMs, holdTtlMs, blockUsableMs, blockRenewMs, carveAfterMs } = timing
  const escrow = createPgEscrowLedger({
    pool,
    ownerId,
    statements,
    onEvent,
    holdSilenceMs,
    statementTimeoutMs,
    holdTtlMs,
    newId: () => uuidV7(Date.now()),
    usableMs: blockUsableMs,
    renewMs: blockRenewMs,
    carveAfterMs,
  })
  const spill = createSpill({
    dir: spillDir,
    redis,
    ledger: options.name === mainLedger ? undefined : options.name,
    ownerId,
    onError: (error) => logger.error({ err: error }, 'ledger spill failed'),
  })
  const onError = (error: unknown) => logger.error({ err: error }, 'ledger closing failed')
  const ledger = createSpillingLedger({ store: escrow, spill, onEvent, onError, waitMs: timing.settleWaitMs })
  return { ledger, escrow }
}

async function startLoops(
  { pool, ownerId, logger, statements = ledgerStatements }: StartLedgerOptions,
  timing: LedgerTiming,
  ledger: SpillingLedger,
  onEvent: OnLedgerEvent,
): Promise<readonly (() => Promise<void>)[]> {
  const { sweepEveryMs: everyMs, missedSweeps, abandonedAfterMs, statementTimeoutMs: timeoutMs } = timing
  const heartbeat = () => beat({ pool, ownerId, timeoutMs, statements })
  const sweeping = { pool, onEvent, everyMs, missedSweeps, abandonedAfterMs, timeoutMs, statements }
  const sweep = async () => {
    await sweepLedger(sweeping)
    await sweepBlocks(sweeping)
  }
  const missed = (what: string) => (error: unknown) => logger.warn({ err: error }, `ledger ${what} failed`)
  await heartbeat().catch(missed('heartbeat'))
  return [
    repeatEvery({ everyMs: timing.beatEveryMs, work: heartbeat, onError: missed('heartbeat') }),
    repeatEvery({ everyMs, work: sweep, onError: missed('sweep') }),
    repeatEvery({ everyMs: timing.replayEveryMs, work: replayWhenDue(ledger), onError: missed('replay') }),
  ]
}

/** The spill is shared: what another process left is looked for at every fifth call, what waits here is repeated at each. */
function replayWhenDue(ledger: SpillingLedger): () => Promise<unknown> {
  let skipped = 4
  return async () => {
    if (ledger.waiting === 0 && skipped < 4) {
      skipped += 1
      return
    }
    skipped = 0
    await ledger.replay()
  }
}

/** What blocks need beside requests: recalls that are heard, blocks that are closed in time, and room for charges. */
async function startEscrow(
  { pool, logger }: StartLedgerOptions,
  { blockRenewMs, statementTimeoutMs: timeoutMs }: LedgerTiming,
  escrow: EscrowLedger,
): Promise<readonly (() => Promise<void>)[]> {
  const missed = (what: string) => (error: unknown) => logger.warn({ err: error }, `ledger ${what} failed`)
  const onListening = () => escrow.giveBackAll()
  const upkeepEveryMs = () => (escrow.hasBlocks ? blockRenewMs / 4 : blockRenewMs)
  const ensure = () => ensureChargePartitions({ pool, timeoutMs })
  // before the first charge of this process, because a charge in the default partition keeps its month from having one
  await ensure().catch(missed('partitions'))
  return [
    listenForRecalls({ pool, onRecall: (id) => escrow.giveBack(id), onListening, onError: missed('recalls') }),
    repeatEvery({ everyMs: upkeepEveryMs, work: () => escrow.upkeep(), onError: missed('upkeep of blocks') }),
    repeatEvery({ everyMs: hourMs, work: ensure, onError: missed('partitions') }),
  ]
}

/** Commits at the end of the process what can be committed, and leaves the rest in the spill. */
async function leaveNothing(
  { pool, ownerId, statements = ledgerStatements }: StartLedgerOptions,
  ledger: SpillingLedger,
  escrow: EscrowLedger,
): Promise<void> {
  await ledger.flush()
  const waiting = await ledger.replay()
  if (waiting > 0) await ledger.leave()
  await giveBackBlocks(escrow)
  await retire({ pool, ownerId, statements })
}

/** Repeats what fails for a short time. Blocks that are left are sealed by the sweep of another process. */
async function giveBackBlocks(escrow: EscrowLedger): Promise<void> {
  for (const untilMs = performance.now() + 2_000; ; await delay(100)) {
    escrow.giveBackAll()
    await escrow.upkeep().catch(() => undefined) // it fails while the database does
    await escrow.idle()
    if (!escrow.hasBlocks || performance.now() >= untilMs) return
  }
}

const alarming: readonly LedgerEvent['kind'][] = ['unknown_request', 'spill_failed', 'write_off', 'late_post']

function listen({ name, logger, onEvent }: StartLedgerOptions): OnLedgerEvent {
  return (event) => {
    const fields = Object.entries(event).map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value])
    const log = { ledger: { ...(name === undefined ? {} : { name }), ...Object.fromEntries(fields) } }
    if (alarming.includes(event.kind)) logger.warn(log, event.kind)
    else logger.info(log, event.kind)
    onEvent?.(event)
  }
}
