import { createHash } from 'node:crypto'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { BudgetWindow, SpendCap } from '../src/ledger/ledger.ts'

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

/** Users of a workspace who have a budget each. */
const users = ['ann', 'bob', 'eve'] as const

/** Budgets of a workspace for three seconds, and of each user for six, both too small for the traffic. */
export function budgetsOf(workspaceId: string, nowMs: number, draw: number): readonly BudgetWindow[] {
  const window = (ms: number) => new Date(Math.floor(nowMs / ms) * ms)
  const subject = users[Math.floor(draw * users.length)] ?? ''
  return [
    { id: deterministicId('budget', workspaceId), subject: '', windowStart: window(3_000), amountNano: 4n * holdNano },
    { id: deterministicId('user', workspaceId), subject, windowStart: window(6_000), amountNano: 3n * holdNano },
  ]
}

export interface CrashWallet {
  readonly workspaceId: string
  /**
   * `small`: too poor for its traffic and for blocks; it often refuses holds. `middle`: rich enough for blocks from time to
   * time, and empty between, so that blocks are recalled. `large`: never empty.
   */
  readonly size: 'small' | 'middle' | 'large'
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
  holdTtlMs: 800,
  beatEveryMs: 100,
  sweepEveryMs: 250,
  missedSweeps: 2,
  replayEveryMs: 200,
  blockUsableMs: 400,
  blockRenewMs: 250,
  carveAfterMs: 60,
} as const

/** Holds of a training job: it is paused after the first one, and ends with the second one. */
export const jobHolds = 2
const stepsPerHold = 4
const stepNano = 50n
/** What a hold of a job takes: what the steps cost that it is for. */
export const jobHoldNano: bigint = BigInt(stepsPerHold) * stepNano

/** A training job that any worker continues, as the training service does after a crash: its id follows from the time. */
export function jobAt(workspaceId: string, nowMs: number, slot: number): string {
  return deterministicId('job', workspaceId, String(Math.floor(nowMs / 1_500)), String(slot))
}

/** The costs of a job's steps that its n-th hold is for, from 1; the last one is charged when the hold is settled. */
export function jobCosts(n: number): readonly bigint[] {
  return Array.from({ length: stepsPerHold }, (_, index) => BigInt((n - 1) * stepsPerHold + index + 1) * stepNano)
}

/** Whether a job is one of a run, whose answers are judged before a step is trained. */
export function isRun(slot: number): boolean {
  return slot > jobSlots - runSlots
}

/** Jobs of a wallet at the same time, and how many of them are runs: one has too little for its judges. */
export const jobSlots = 4
const runSlots = 2
export function isTightRun(slot: number): boolean {
  return slot === jobSlots
}

/** Judges are asked so often about a step. */
export const judgementsPerStep = 2
/** All questions of a run. */
export const judgementsPerRun: number = judgementsPerStep * stepsPerHold * jobHolds

/** The part of a run's maximum that is for its judges: all that they can cost, or about half of what they do cost. */
const judgingNano = { ample: BigInt(judgementsPerRun) * holdNano, tight: 5n * holdNano } as const

/** The cap of a run's judges. It has one window. */
export function runCap(runId: string, isTight: boolean): SpendCap {
  return { id: runId, windowStart: new Date(0), capNano: isTight ? judgingNano.tight : judgingNano.ample }
}

/** What a run may cost with its judges. */
export const runMaximumNano: bigint = BigInt(jobHolds) * jobHoldNano + judgingNano.ample

/** The id under which a question is charged, in every worker. */
export function judgementId(runId: string, step: number, answer: number): string {
  return deterministicId('judgement', runId, String(step), String(answer))
}

/** Milliseconds for which a hold of a job is kept after a call: sometimes less than a job waits for its next call. */
export const jobKeepMs = 400
