import { jobCostNano } from '../money/job-cost.ts'

/** What decides of a row of `training_job`. */
export interface JobRow {
  readonly status: JobStatus
  /** What a user asked of a running job; null: to go on. */
  readonly asked: 'pause' | 'cancel' | null
  /** Whether its examples are read, counted and stored. */
  readonly isDataReady: boolean
  /** Readings of the data that began. */
  readonly dataTries: number
  readonly priceNanoPerMtok: bigint
  /** Trained tokens of all epochs. */
  readonly totalTokens: bigint
  /** Whether its trainer has counted them. Until then they are an estimate. */
  readonly tokensExact: boolean
  readonly maxCostNano: bigint | null
  readonly heldNano: bigint
  /** Charged since its creation. */
  readonly costNano: bigint
  /** Attempts that were lost. */
  readonly lostAttempts: number
  readonly pausedAt: Date | null
  /** Since when it waits for a trainer that no worker has; null while one has it. */
  readonly unofferedSince: Date | null
}

export type JobStatus = 'validating_files' | 'queued' | 'running' | 'paused' | 'succeeded' | 'failed' | 'cancelled'

/** The last attempt of a job. */
export interface JobAttempt {
  /** How it ended; null while it runs. */
  readonly exit: AttemptExit | null
  /** When its trainer is lost unless it reports before. */
  readonly leaseUntil: Date
  /** What the trainer is told at its next heartbeat, and since when; null: to go on. */
  readonly command: 'pause' | 'cancel' | 'checkpoint' | null
  readonly commandSince: Date | null
  /** Only of one that `failed`. */
  readonly failure: JobFailure | null
  /** Only of one that `succeeded`: why before the last step. */
  readonly stoppedEarly: StoppedEarly | null
}

/** `stopped`: the trainer saved and ended, because it was told to or because its machine was needed. */
export type AttemptExit = 'succeeded' | 'stopped' | 'failed' | 'lost'
export type StoppedEarly = 'max_cost' | 'early_stopping'

export interface JobFailure {
  readonly code: string
  /** For the customer. */
  readonly message: string
  readonly retryable: boolean
}

/** What is true outside the row at the moment of the decision. */
export interface JobWorld {
  readonly now: Date
  readonly attempt: JobAttempt | null
  /** Tokens of the last durable checkpoint; 0 without one. */
  readonly durableTokens: bigint
  /** Of a GRPO run: the cost of the steps and looks until then. Null: that of the tokens. */
  readonly stepsCostNano: bigint | null
  /** Whether this worker has its trainer. */
  readonly isOffered: boolean
  /** Whether its trainer could start now. */
  readonly hasSlot: boolean
}

export type NextStep =
  /** Read and count the examples, then store them, or fail the job with `invalid_training_data`. May have to wait its turn. */
  | { readonly kind: 'read_data' }
  /** Hold so much in total. A refusal fails the job, or its running attempt, with `insufficient_balance`. */
  | { readonly kind: 'hold'; readonly amountNano: bigint }
  | { readonly kind: 'queue' }
  | { readonly kind: 'start_attempt' }
  /** Tell the trainer at its next heartbeat. */
  | { readonly kind: 'command'; readonly command: 'pause' | 'cancel' }
  /** End the trainer's process, and the attempt with this exit. */
  | { readonly kind: 'end_attempt'; readonly exit: 'stopped' | 'lost' }
  /** Charge the job up to this cost, out of its hold. */
  | { readonly kind: 'charge'; readonly costNano: bigint }
  | { readonly kind: 'pause' }
  | {
      readonly kind: 'end'
      readonly status: 'succeeded' | 'failed' | 'cancelled'
      readonly error: Omit<JobFailure, 'retryable'> | null
      readonly stoppedEarly: StoppedEarly | null
    }
  /** Charge up to this cost and release the rest of the hold. */
  | { readonly kind: 'settle'; readonly costNano: bigint }
  /** Nothing to do before something changes, or before this time. */
  | { readonly kind: 'wait'; readonly waitingFor: 'gpu' | null; readonly until: Date | null }

/** Lost attempts after which a job fails. */
export const maxLostAttempts = 5
/** Readings of its data that did not come to an end, after which a job fails. */
export const maxDataTries = 5
/** How long a job waits for a trainer that no worker has. */
export const unofferedDays = 1
/** How long a paused job is kept. */
export const pausedJobDays = 30
/** Time that a trainer has to save after a command to stop. */
export const stopGraceMs = 660_000

/**
 * The next step of a job. Each step may be done twice with the same effect, so that any worker can go on after another one
 * has died.
 */
export function nextJobStep(row: JobRow, world: JobWorld): NextStep {
  switch (row.status) {
    case 'validating_files':
      return nextOfValidating(row)
    case 'queued':
      return startOrWait(row, world)
    case 'running':
      return withoutHold(row, world, nextOfRunning(row, world))
    case 'paused':
      return nextOfPaused(row, world)
    default:
      return row.heldNano > 0n ? settle(row, world) : idle
  }
}

/** What the job may cost from here on, nano-dollars: its remaining tokens, or less when its maximum is lower. */
export function neededHoldNano(
  row: Pick<JobRow, 'priceNanoPerMtok' | 'totalTokens' | 'maxCostNano' | 'costNano'>,
): bigint {
  const whole = jobCostNano(row.totalTokens, row.priceNanoPerMtok)
  const cost = row.maxCostNano !== null && row.maxCostNano < whole ? row.maxCostNano : whole
  return cost > row.costNano ? cost - row.costNano : 0n
}

const idle: NextStep = { kind: 'wait', waitingFor: null, until: null }

function nextOfValidating(row: JobRow): NextStep {
  if (!row.isDataReady) return row.dataTries < maxDataTries ? { kind: 'read_data' } : failed(unreadable)
  const needed = neededHoldNano(row)
  return needed > row.heldNano ? { kind: 'hold', amountNano: needed } : { kind: 'queue' }
}

function startOrWait({ unofferedSince }: JobRow, { hasSlot, isOffered, now }: JobWorld): NextStep {
  if (hasSlot) return { kind: 'start_attempt' }
  const isGone = !isOffered && unofferedSince !== null && daysAfter(unofferedSince, unofferedDays) <= now
  return isGone ? failed(unoffered) : { kind: 'wait', waitingFor: 'gpu', until: null }
}

function nextOfRunning(row: JobRow, world: JobWorld): NextStep {
  const { attempt } = world
  const costNano = chargeable(row, world)
  if (costNano > row.costNano) return { kind: 'charge', costNano }
  if (attempt === null) return withoutAttempt(row, world)
  if (attempt.exit === null) return nextOfAttempt(row, attempt, world)
  return afterAttempt(row, { ...attempt, exit: attempt.exit }, world)
}

/** Nothing is held by a job that is paused or has ended, so the hold is settled first. */
function withoutHold(row: JobRow, world: JobWorld, next: NextStep): NextStep {
  const stops = next.kind === 'pause' || next.kind === 'end'
  return stops && row.heldNano > 0n ? settle(row, world) : next
}

function nextOfAttempt(row: JobRow, attempt: JobAttempt, { now }: JobWorld): NextStep {
  const { asked } = row
  const { leaseUntil, command, commandSince } = attempt
  if (leaseUntil <= now) return { kind: 'end_attempt', exit: 'lost' }
  const needed = asked === null ? missingHoldNano(row) : null
  if (needed !== null) return { kind: 'hold', amountNano: needed }
  if (asked === null) return { kind: 'wait', waitingFor: null, until: leaseUntil }
  if (command !== asked) return { kind: 'command', command: asked }
  const graceEnd = new Date((commandSince ?? now).getTime() + stopGraceMs)
  if (graceEnd <= now) return { kind: 'end_attempt', exit: 'stopped' }
  return { kind: 'wait', waitingFor: null, until: graceEnd < leaseUntil ? graceEnd : leaseUntil }
}

function afterAttempt(
  row: JobRow,
  { exit, failure, stoppedEarly }: JobAttempt & { readonly exit: AttemptExit },
  world: JobWorld,
): NextStep {
  if (exit === 'succeeded') return { kind: 'end', status: 'succeeded', error: null, stoppedEarly }
  // The user has what was asked for, although the trainer did not end as it should have.
  if (row.asked === 'cancel') return cancelled
  if (exit === 'failed' && failure?.retryable !== true) return failed(failure ?? lostTrainer)
  if (row.asked === 'pause') return { kind: 'pause' }
  if (exit !== 'stopped' && row.lostAttempts >= maxLostAttempts) return failed(failure ?? lostTrainer)
  return startOrWait(row, world)
}

/** The hold of a job whose trainer has counted more tokens than were estimated, before any of it is charged. Null: it is enough. */
function missingHoldNano(row: JobRow): bigint | null {
  const needed = neededHoldNano(row)
  return row.tokensExact && row.costNano === 0n && needed > row.heldNano ? needed : null
}

/** A worker died before it started the first attempt. */
function withoutAttempt(row: JobRow, world: JobWorld): NextStep {
  const { asked } = row
  if (asked === 'cancel') return cancelled
  return asked === 'pause' ? { kind: 'pause' } : startOrWait(row, world)
}

function nextOfPaused(row: JobRow, world: JobWorld): NextStep {
  if (row.heldNano > 0n) return settle(row, world)
  const until = daysAfter(row.pausedAt ?? world.now, pausedJobDays)
  return until <= world.now ? cancelled : { kind: 'wait', waitingFor: null, until }
}

function settle(row: JobRow, world: JobWorld): NextStep {
  return { kind: 'settle', costNano: chargeable(row, world) }
}

/** The cost at the last durable checkpoint. It never falls, and never exceeds the maximum of the job. */
function chargeable(
  { priceNanoPerMtok, maxCostNano, costNano }: JobRow,
  { durableTokens, stepsCostNano }: Pick<JobWorld, 'durableTokens' | 'stepsCostNano'>,
): bigint {
  const cost = stepsCostNano ?? jobCostNano(durableTokens, priceNanoPerMtok)
  const capped = maxCostNano !== null && maxCostNano < cost ? maxCostNano : cost
  return capped > costNano ? capped : costNano
}

function daysAfter(time: Date, days: number): Date {
  return new Date(time.getTime() + days * 86_400_000)
}

const cancelled: NextStep = { kind: 'end', status: 'cancelled', error: null, stoppedEarly: null }

const lostTrainer = { code: 'trainer_lost', message: `The trainer was lost ${maxLostAttempts} times.` }

const unreadable = {
  code: 'service_unavailable',
  message: `The data could not be read in ${maxDataTries} attempts. Create the job again, later or with less data.`,
}

const unoffered = {
  code: 'service_unavailable',
  message: 'The trainer of this job has not been available for a day. Create the job again.',
}

function failed({ code, message }: Omit<JobFailure, 'retryable'>): NextStep {
  return { kind: 'end', status: 'failed', error: { code, message }, stoppedEarly: null }
}
