import type { AttemptStore } from '../attempts/attempt.ts'
import type { JobTokens } from '../attempts/job-token.ts'
import type { JobHold, JobMoney } from '../money/job-money.ts'
import { attemptName, type Trainer } from '../trainers/trainer.ts'
import type { DrivenJob, DrivenWorld, DriverStore } from './driver-store.ts'
import { type NextStep, nextJobStep } from './next-job.ts'

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
  /** Reads, checks and stores the examples of a job, or ends the job when nothing can be trained on them. */
  readonly readData: (job: DrivenJob) => Promise<void>
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
const retryMs = { first: 1_000, max: 60_000 }

/** Takes a job as far as it goes now. Whatever fails is tried again later, by any worker. */
export async function advanceJob(deps: AdvanceDeps, leased: DrivenJob): Promise<void> {
  const { store, onEvent } = deps
  let job: DrivenJob | null = leased
  try {
    for (let steps = 0; job !== null && steps < maxSteps; steps += 1) {
      const world: DrivenWorld = await store.world(job, { slots: deps.trainers.get(job.trainer)?.slots ?? 0 })
      const next = nextJobStep(job, world)
      if (next.kind === 'wait') return await store.release(job, waitOf(next, world))
      onEvent({ kind: 'step', jobId: job.id, step: next.kind })
      await takeStep(deps, { job, world }, next)
      job = await store.read(job)
    }
    if (job !== null) await store.release(job, { delayMs: 0, waitingFor: null, hasFailed: false })
  } catch (error) {
    onEvent({ kind: 'failed', jobId: leased.id, error })
    const delayMs = Math.min(retryMs.max, retryMs.first * 2 ** Math.min(leased.attempts - 1, 10))
    await store.release(leased, { delayMs, waitingFor: null, hasFailed: true })
  }
}

function waitOf({ waitingFor, until }: Extract<NextStep, { kind: 'wait' }>, { now }: DrivenWorld) {
  const untilMs = until === null ? maxWaitMs : Math.max(0, until.getTime() - now.getTime())
  const delayMs = waitingFor === 'gpu' ? slotEveryMs : Math.min(untilMs, maxWaitMs)
  return { delayMs, waitingFor, hasFailed: false }
}

interface Driven {
  readonly job: DrivenJob
  readonly world: DrivenWorld
}

/** Each step has the same effect when it is taken twice, also by two workers. */
async function takeStep(deps: AdvanceDeps, { job, world }: Driven, next: Exclude<NextStep, { kind: 'wait' }>) {
  const { store, money } = deps
  switch (next.kind) {
    case 'read_data':
      return deps.readData(job)
    case 'hold':
      return holdMore(deps, job, next.amountNano)
    case 'queue':
      return store.queue(job)
    case 'start_attempt':
      return startAttempt(deps, job)
    case 'command':
      return world.attempt === null ? false : store.command(job, world.attempt, next.command)
    case 'end_attempt':
      return endAttempt(deps, { job, world }, next.exit)
    case 'charge':
      await money.checkpoint(holdOf(job), next.costNano)
      return store.setCost(job, next.costNano)
    case 'settle':
      await money.settle(holdOf(job), next.costNano)
      return store.setSettled(job, next.costNano)
    case 'pause':
      return store.pause(job)
    default:
      return store.end(job, next)
  }
}

/** The next hold takes the place of the present one. */
async function holdMore({ store, money }: AdvanceDeps, job: DrivenJob, amountNano: bigint): Promise<boolean> {
  const number = job.holdNumber + 1
  if (await money.hold({ ...holdOf(job), holdNumber: number }, amountNano)) {
    return store.setHold(job, { number, amountNano })
  }
  const message = 'The balance does not cover the job any more, after its tokens were counted.'
  const error = { code: 'insufficient_balance', message }
  return store.end(job, { kind: 'end', status: 'failed', error, stoppedEarly: null })
}

async function startAttempt({ store, trainers, tokens, trainerUrl, attemptLeaseMs }: AdvanceDeps, job: DrivenJob) {
  const trainer = trainers.get(job.trainer)
  if (trainer === undefined) throw new Error(`this worker has no trainer ${job.trainer}`)
  const attempt = await store.startAttempt(job, { slots: trainer.slots, leaseMs: attemptLeaseMs })
  if (attempt === null) return
  await trainer.start({ name: attemptName(attempt), url: trainerUrl, token: tokens.issue(attempt) })
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

function holdOf({ workspaceId, id, holdNumber, createdBy, baseModel }: DrivenJob): JobHold {
  return { workspaceId, jobId: id, holdNumber, createdBy, model: baseModel }
}
