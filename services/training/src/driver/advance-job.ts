import { type BackoffDelays, backoff } from '@ratchet/service-kit/timing/backoff'
import type { AttemptStore } from '../attempts/attempt.ts'
import type { JobTokens } from '../attempts/job-token.ts'
import type { ReadInTurn } from '../data/data-reading.ts'
import type { JobMoney } from '../money/job-money.ts'
import { holdOf } from '../money/requested-hold.ts'
import { attemptName, type Trainer } from '../trainers/trainer.ts'
import type { DrivenJob, DrivenWorld, DriverStore, JobEnd, ReleasedJob } from './driver-store.ts'
import { maxDataTries, type NextStep, nextJobStep } from './next-job.ts'

export interface AdvanceDeps {
  readonly store: DriverStore
  readonly money: JobMoney
  readonly attempts: Pick<AttemptStore, 'end'>
  readonly tokens: JobTokens
  /** The trainers that this worker can start, by name. */
  readonly trainers: ReadonlyMap<string, Trainer>
  /** Where trainers reach the service `training`. */
  readonly trainerUrl: string
  /** Time without a heartbeat after which an attempt is lost, milliseconds. */
  readonly attemptLeaseMs: number
  readonly readInTurn: ReadInTurn
  /** Bytes of the data of a job; infinite when they are not known now. */
  readonly dataBytes: (job: DrivenJob) => Promise<number>
  /** Reads, checks and stores the examples of a job, or ends the job when nothing can be trained on them. */
  readonly readData: (job: DrivenJob) => Promise<unknown>
  /** Stores the figures of the steps of a job that ends. Returns the UUID of the file; null: there is none. */
  readonly writeResults: (job: DrivenJob) => Promise<string | null>
  /** Adds an event that the user sees. */
  readonly note: (job: DrivenJob, message: string, level?: 'info' | 'error') => Promise<void>
  readonly onEvent: (event: DriverEvent) => void
}

export type DriverEvent =
  | { readonly kind: 'step'; readonly jobId: string; readonly step: NextStep['kind'] }
  | { readonly kind: 'failed'; readonly jobId: string; readonly error: unknown }

/** Steps of a job in one turn. A job has fewer between two things that it waits for. */
const maxSteps = 20
/** How soon a job looks again whether its trainer has a free place, milliseconds. */
const slotEveryMs = 1_000
/** How long a job is left alone at most, milliseconds. */
const maxWaitMs = 3_600_000
const retryDelays: BackoffDelays = { firstMs: 1_000, maxMs: 60_000 }
/** Between readings of the data, of which there are few: in all a quarter of an hour. */
const readingDelays: BackoffDelays = { firstMs: 60_000, maxMs: 480_000 }
/** How soon a job looks again whether it may read its data, milliseconds. */
const turnEveryMs = 1_000

/** Takes a job as far as it goes now. Whatever fails is tried again later, by any worker. */
export async function advanceJob(deps: AdvanceDeps, leased: DrivenJob): Promise<void> {
  const { store, onEvent } = deps
  let job: DrivenJob | null = leased
  let retryAfterMs = backoff(leased.attempts - 1, retryDelays)
  try {
    for (let steps = 0; job !== null && steps < maxSteps; steps += 1) {
      const world: DrivenWorld = await store.world(job, { slots: deps.trainers.get(job.trainer)?.slots ?? 0 })
      const next = nextJobStep(job, world)
      if (next.kind === 'wait') return await store.release(job, waitOf(next, world))
      onEvent({ kind: 'step', jobId: job.id, step: next.kind })
      if (next.kind === 'read_data') {
        retryAfterMs = readingDelayOf(job)
        const hasRead = await readData(deps, job)
        if (!hasRead) return await store.release(job, later(turnEveryMs, leased.attempts - 1))
      } else await takeStep(deps, { job, world }, next)
      job = await store.read(job)
    }
    if (job !== null) await store.release(job, later(0, 0))
  } catch (error) {
    onEvent({ kind: 'failed', jobId: leased.id, error })
    await store.release(leased, later(retryAfterMs, leased.attempts))
  }
}

async function readData({ readInTurn, dataBytes, readData: read }: AdvanceDeps, job: DrivenJob): Promise<boolean> {
  return readInTurn({ workspaceId: job.workspaceId, bytes: await dataBytes(job) }, () => read(job))
}

/** After a reading that failed. After the last one, the job fails at once. */
function readingDelayOf({ dataTries }: DrivenJob): number {
  return dataTries + 1 < maxDataTries ? backoff(dataTries, readingDelays) : 0
}

function later(delayMs: number, failures: number): ReleasedJob {
  return { delayMs, waitingFor: null, failures, isUnoffered: false }
}

function waitOf(
  { waitingFor, until }: Extract<NextStep, { kind: 'wait' }>,
  { now, isOffered }: DrivenWorld,
): ReleasedJob {
  if (waitingFor === 'gpu') return { ...later(slotEveryMs, 0), waitingFor, isUnoffered: !isOffered }
  const untilMs = until === null ? maxWaitMs : Math.max(0, until.getTime() - now.getTime())
  return later(Math.min(untilMs, maxWaitMs), 0)
}

interface Driven {
  readonly job: DrivenJob
  readonly world: DrivenWorld
}

type TakenStep = Exclude<NextStep, { kind: 'wait' | 'read_data' }>

/** Each step has the same effect when it is taken twice, also by two workers. */
async function takeStep(deps: AdvanceDeps, { job, world }: Driven, next: TakenStep) {
  const { store, money, note } = deps
  switch (next.kind) {
    case 'hold':
      return holdMore(deps, { job, world }, next.amountNano)
    case 'queue':
      return (await store.queue(job)) && note(job, 'The data is ready. The job waits for its trainer.')
    case 'start_attempt':
      return startAttempt(deps, job)
    case 'command':
      return world.attempt === null ? false : store.command(job, world.attempt, next.command)
    case 'end_attempt':
      return endAttempt(deps, { job, world }, next.exit)
    case 'charge':
      await charge(deps, { job, world }, next.costNano)
      return store.setCost(job, next.costNano)
    case 'settle':
      await money.settle(holdOf(job, job.holdNumber), next.costNano, world.durableTokens)
      return store.setSettled(job, next.costNano)
    case 'pause':
      return (await store.pause(job)) && note(job, 'The job is paused.')
    default:
      return endJob(deps, job, { ...next, resultFile: await deps.writeResults(job) })
  }
}

/** A hold that this uses up is settled with it: nothing of it is left that could be released later. */
async function charge({ money }: AdvanceDeps, { job, world }: Driven, costNano: bigint): Promise<void> {
  const isUsedUp = costNano - job.costNano >= job.heldNano
  await money[isUsedUp ? 'settle' : 'checkpoint'](holdOf(job, job.holdNumber), costNano, world.durableTokens)
}

async function holdMore(deps: AdvanceDeps, { job, world }: Driven, amountNano: bigint): Promise<unknown> {
  const hold = holdOf(job, Math.max(1, job.holdNumber))
  if (await deps.money.hold(hold, amountNano)) {
    return await deps.store.setHold(job, { number: hold.holdNumber, amountNano })
  }
  const message =
    'The wallet does not cover the job, whose tokens are more than was estimated. Top it up and try again.'
  const error = { code: 'insufficient_balance', message } as const
  // Its trainer waits for the hold; then the job ends as after any failure.
  if (world.attempt !== null)
    return await deps.attempts.end(world.attempt, { exit: 'failed', ...error, retryable: false })
  return await endJob(deps, job, { status: 'failed', error, stoppedEarly: null })
}

/** Ends a job, and says so among its events. */
export async function endJob(
  { store, note }: Pick<AdvanceDeps, 'store' | 'note'>,
  job: DrivenJob,
  end: JobEnd,
): Promise<void> {
  if (!(await store.end(job, end))) return
  const { status, error } = end
  if (error === null) await note(job, `The job is over: ${status}.`)
  else await note(job, `The job has failed: ${error.message}`, 'error')
}

async function startAttempt({ store, trainers, note, ...deps }: AdvanceDeps, job: DrivenJob) {
  const trainer = trainers.get(job.trainer)
  if (trainer === undefined) throw new Error(`this worker has no trainer ${job.trainer}`)
  const { tokens, trainerUrl, attemptLeaseMs } = deps
  const attempt = await store.startAttempt(job, { slots: trainer.slots, leaseMs: attemptLeaseMs })
  if (attempt === null) return
  await trainer.start({
    name: attemptName(attempt),
    url: trainerUrl,
    token: tokens.issue(attempt),
    model: job.baseModel,
    workspaceId: job.workspaceId,
  })
  await note(job, `Attempt ${attempt.generation} begins.`)
}

async function endAttempt({ attempts, trainers }: AdvanceDeps, { job, world }: Driven, exit: 'stopped' | 'lost') {
  const { attempt } = world
  if (attempt === null) return
  const lost = {
    exit: 'lost',
    code: 'trainer_lost',
    message: 'The trainer did not report any more.',
    retryable: true,
  } as const
  await attempts.end(attempt, exit === 'lost' ? lost : { exit })
  await trainers.get(job.trainer)?.stop(attemptName(attempt), 'now')
}
