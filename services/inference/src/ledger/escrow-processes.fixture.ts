import { randomUUID } from 'node:crypto'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { EscrowLedger } from './escrow-ledger.ts'
import type { OnLedgerEvent } from './ledger.ts'
import type { LedgerDatabase } from './ledger-database.fixture.ts'
import { createPgEscrowLedger } from './pg-escrow-ledger.ts'
import { sweepBlocks, sweepLedger } from './pg-ledger-sweeper.ts'
import { listenForRecalls } from './pg-recall-listener.ts'

/** Some processes that hold in memory, and hear each other's recalls. */
export interface EscrowProcesses {
  readonly ledgers: readonly EscrowLedger[]
  /** Closes every open request and block as orphaned, as if all processes had been stopped for long. */
  sweep(): Promise<number>
  /** Gives back all blocks. */
  giveBack(): Promise<void>
  stop(): Promise<void>
}

export interface EscrowProcessesOptions {
  readonly count: number
  /** They hear no recalls. */
  readonly isDeaf?: boolean
  readonly recallWaitMs?: number
  readonly onEvent?: OnLedgerEvent
}

/** Small blocks, so that a few requests use several, and a few processes use up a wallet. */
const sized = { size: { holds: 4, leastHolds: 1 }, walletBlocks: 2 }
const timing = { usableMs: 60_000, renewMs: 60_000, carveAfterMs: 60_000 }
const upkeepEveryMs = 100
const patient = { holdSilenceMs: 10_000, statementTimeoutMs: 10_000 }

export async function startEscrowProcesses(
  { pool }: Pick<LedgerDatabase, 'pool'>,
  { count, isDeaf = false, recallWaitMs = 10_000, onEvent = () => undefined }: EscrowProcessesOptions,
): Promise<EscrowProcesses> {
  let skippedMs = 0
  const clockMs = () => performance.now() + skippedMs
  // owners without a heartbeat, and deadlines that are over: the next sweep closes everything
  const open = () =>
    createPgEscrowLedger({
      pool,
      onEvent,
      holdTtlMs: -1_000,
      ownerId: randomUUID(),
      newId: () => uuidV7(Date.now()),
      clockMs,
      recallWaitMs,
      ...sized,
      ...timing,
      ...patient,
    })
  const ledgers = Array.from({ length: count }, open)
  const giveBackAll = () => {
    for (const ledger of ledgers) ledger.giveBackAll()
  }
  const { promise: listening, resolve: onListening } = Promise.withResolvers<void>()
  const stopListening = listenForRecalls({
    pool,
    onListening,
    onRecall(workspaceId) {
      if (!isDeaf) for (const ledger of ledgers) ledger.giveBack(workspaceId)
    },
    onError: () => undefined,
  })
  await listening
  const idle = () => Promise.all(ledgers.map((ledger) => ledger.idle()))
  // Repeats what failed, as in production.
  const upkeep = () => Promise.all(ledgers.map((ledger) => ledger.upkeep()))
  const stopUpkeep = repeatEvery({ everyMs: upkeepEveryMs, work: upkeep, onError: () => undefined })
  return {
    ledgers,
    async sweep() {
      skippedMs += 10 * timing.usableMs
      await sweepBlocks({ pool, missedSweeps: 1, onEvent })
      return sweepLedger({ pool, everyMs: 0, missedSweeps: 1, onEvent })
    },
    async giveBack() {
      giveBackAll()
      await idle()
    },
    async stop() {
      await stopUpkeep()
      giveBackAll()
      await idle()
      await stopListening()
    },
  }
}
