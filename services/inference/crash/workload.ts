import { createHash } from 'node:crypto'
import type { SpendCap } from '../src/ledger/ledger.ts'
import { deterministicId } from './random.ts'

/** What every simulated request holds, nano-dollars. */
export const holdNano = 1_000n

/** What the provider charges for a request: a property of its id, so that whoever repeats it pays the same. */
export function costOf(billingId: string): bigint {
  const digest = createHash('sha256').update(billingId).digest()
  return BigInt(digest.readUInt16BE(0) % 1_050) + 1n // now and then more than the hold
}

/** The spend cap of a workspace: too small for its traffic, and with a window that ends under running requests. */
export function capOf(workspaceId: string, nowMs: number): SpendCap {
  const windowStart = new Date(Math.floor(nowMs / 3_000) * 3_000)
  return { id: deterministicId('cap', workspaceId), windowStart, capNano: 3n * holdNano }
}

export interface CrashWallet {
  readonly workspaceId: string
  /** Too small for its traffic: refusals are its everyday life, and late settles may not fit. */
  readonly isSmall: boolean
}

/** What one worker process is told. */
export interface WorkerOrders {
  readonly databaseUrl: string
  readonly spillDir: string
  readonly evidenceFile: string
  readonly seed: number
  readonly loops: number
  readonly mutation: string | null
  readonly wallets: readonly CrashWallet[]
}

/** The ledger's clocks, fast enough for a minute to hold many lives and deaths. */
export const crashTiming = {
  holdTtlMs: 400,
  beatEveryMs: 100,
  sweepEveryMs: 250,
  missedSweeps: 2,
  replayEveryMs: 200,
} as const
