import type { JobAttempt, JobRow, JobWorld } from './next-job.ts'

export const now = new Date('2026-12-01T12:00:00Z')
export const after = (ms: number) => new Date(now.getTime() + ms)
export const dayMs = 86_400_000

/** A running job of a million tokens at a dollar each million, of which nothing is charged. */
export const running: JobRow = {
  status: 'running',
  asked: null,
  isDataReady: true,
  dataTries: 0,
  priceNanoPerMtok: 1_000_000_000n,
  totalTokens: 1_000_000n,
  tokensExact: false,
  maxCostNano: null,
  heldNano: 1_000_000_000n,
  costNano: 0n,
  lostAttempts: 0,
  pausedAt: null,
  unofferedSince: null,
}
export const settled: JobRow = { ...running, heldNano: 0n }

export const attempt: JobAttempt = {
  exit: null,
  leaseUntil: after(30_000),
  command: null,
  commandSince: null,
  failure: null,
  stoppedEarly: null,
}
export const idle: JobWorld = {
  now,
  attempt: null,
  durableTokens: 0n,
  stepsCostNano: null,
  isOffered: true,
  hasSlot: true,
}
export const withAttempt = (more: Partial<JobAttempt>, world: Partial<JobWorld> = {}): JobWorld => ({
  ...idle,
  ...world,
  attempt: { ...attempt, ...more },
})
