import { createHash } from 'node:crypto'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { SpendCap } from '../src/ledger/ledger.ts'

/** The hold of every simulated request, nano-dollars. */
export const holdNano = 1_000n

/** The charge of a request, derived from its id, so that a retry costs the same. */
export function costOf(billingId: string): bigint {
  const digest = createHash('sha256').update(billingId).digest()
  return BigInt(digest.readUInt16BE(0) % 1_050) + 1n // sometimes more than the hold
}

/** The spend cap of a workspace, too small for its traffic, with a window that ends during requests. */
export function capOf(workspaceId: string, nowMs: number): SpendCap {
  const windowStart = new Date(Math.floor(nowMs / 3_000) * 3_000)
  return { id: deterministicId('cap', workspaceId), windowStart, capNano: 3n * holdNano }
}

export interface CrashWallet {
  readonly workspaceId: string
  /** True for a wallet that is too small for its traffic: it often refuses holds, and late settles may not fit. */
  readonly isSmall: boolean
}

/** The configuration of one worker process. */
export interface WorkerOrders {
  readonly databaseUrl: string
  readonly spillDir: string
  readonly evidenceFile: string
  readonly seed: number
  readonly loops: number
  readonly mutation: string | null
  readonly wallets: readonly CrashWallet[]
}

/** The intervals of the ledger, short enough for a minute to contain many starts and deaths. */
export const crashTiming = {
  holdTtlMs: 400,
  beatEveryMs: 100,
  sweepEveryMs: 250,
  missedSweeps: 2,
  replayEveryMs: 200,
} as const
