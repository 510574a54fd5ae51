import { isDeepStrictEqual } from 'node:util'
import {
  cancelFineTuningJob,
  createFineTuningJob,
  estimateFineTuningJob,
  FineTuningJob,
  getFineTuningJob,
  listFineTuningJobs,
  pauseFineTuningJob,
  resumeFineTuningJob,
} from '@ratchet/contracts/fine-tuning'
import { nanoToUsd } from '@ratchet/contracts/money'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { readIdempotencyKey } from '@ratchet/service-kit/http/idempotency-key'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { z } from 'zod'
import { bodyReader } from '../bodies/body-routes.ts'
import { neededHoldNano } from '../driver/next-job.ts'
import type { JobMoney } from '../money/job-money.ts'
import { holdOf, releaseUnused, takeHold } from '../money/requested-hold.ts'
import type { NewJob, TrainingJob } from './job.ts'
import { jobReply } from './job-reply.ts'
import type { JobStore } from './job-store.ts'
import { newJobOf } from './new-job.ts'
import { estimateReply, type PrepareJobDeps, prepareJob } from './prepare-job.ts'
import type { ProgressStore } from './progress-store.ts'
import { readBody } from './read-body.ts'
import { requireJob } from './require-job.ts'
import { requireRoom } from './require-room.ts'

export interface JobRouteDeps extends PrepareJobDeps {
  readonly jobs: JobStore
  readonly progress: Pick<ProgressStore, 'addEvent'>
  readonly money: Pick<JobMoney, 'hold' | 'release'>
  readonly now: () => Date
  readonly newId: () => string
  /** A seed for a job that names none. */
  readonly newSeed: () => number
}

export function jobRoutes(router: Router, deps: JobRouteDeps): void {
  const { jobs, now } = deps
  createRoutes(router, deps)
  mountRaw(router, listFineTuningJobs, async ({ query, identity, request }, response) => {
    const { status, model, limit, after: afterId, envelope } = query
    const after = afterId === undefined ? undefined : await requireJob(jobs, identity, afterId, 'after')
    const found = await jobs.list({ workspaceId: identity.workspaceId, status, model, after, limit: limit + 1 })
    const data = z.array(FineTuningJob).parse(found.slice(0, limit).map((job) => jobReply(job, now())))
    const isList = envelope ?? isOpenAiSdk(request.get('user-agent'))
    response.json(isList ? { object: 'list', data, has_more: found.length > limit } : data)
  })
  mount(router, getFineTuningJob, async ({ params, identity }) =>
    jobReply(await requireJob(jobs, identity, params.id), now()),
  )
  changeRoutes(router, deps)
}

/** The clients of OpenAI read a list object only. */
function isOpenAiSdk(userAgent = ''): boolean {
  return /^(?:Async)?(?:Azure)?OpenAI\//.test(userAgent)
}

function createRoutes(router: Router, deps: JobRouteDeps): void {
  const { jobs, now, newId, newSeed } = deps
  const reading = bodyReader(readBody, 'Too many jobs are being created or estimated at this moment. Retry.')
  mountRaw(router, estimateFineTuningJob, (input, response) =>
    reading(estimateFineTuningJob, { ...input, response }, async (request) => {
      const prepared = await prepareJob(deps, { identity: input.identity, request, seed: request.seed ?? 0 })
      response.json(estimateFineTuningJob.reply.parse(estimateReply(prepared, await deps.occupancy())))
    }),
  )
  mountRaw(router, createFineTuningJob, ({ identity, request: incoming }, response) =>
    reading(createFineTuningJob, { identity, request: incoming, response }, async (request) => {
      const requested: unknown = JSON.parse(JSON.stringify(request))
      const { workspaceId } = identity
      const order = {
        request: incoming,
        scope: ['fine-tuning-job', workspaceId],
        newId,
        find: (id: string) => jobs.get({ workspaceId, id }),
        isSame: (job: TrainingJob) => isDeepStrictEqual(job.request, requested),
      }
      const { started, headers } = await createIdempotently(order, async (id) => {
        requireRoom('jobs', await jobs.countUnfinished(workspaceId))
        const seed = request.seed ?? newSeed()
        const prepared = await prepareJob(deps, { identity, request, seed })
        const job = newJobOf(prepared, { id, identity, request, seed, createdAt: now() })
        return start(deps, job, { isRepeatable: readIdempotencyKey(incoming) !== null, keyId: identity.keyId })
      })
      response.set(headers).json(createFineTuningJob.reply.parse(jobReply(started, now())))
    }),
  )
}

/**
 * @param keyId the key that pays, as spending is counted
 * @param isRepeatable whether the request can be repeated with the same id. Then it takes the same hold, which the ledger
 *   releases after a day if that never happens
 */
async function start(
  { jobs, progress, money, newId }: JobRouteDeps,
  job: NewJob,
  { isRepeatable, keyId }: { readonly isRepeatable: boolean; readonly keyId: string | null },
): Promise<TrainingJob> {
  const hold = { ...holdOf(job, 1), keyId }
  await takeHold(money, { hold, amountNano: job.heldNano, noun: 'job' })
  const created = await jobs.create(job).catch(async (error: unknown) => {
    if (isRepeatable) throw error
    // It may be stored although the answer was lost.
    const stored = await jobs.get(job)
    if (stored !== null) return stored
    await releaseUnused(money, hold)
    throw error
  })
  const message = `Job created. At most $${nanoToUsd(job.heldNano)} is held.`
  await progress.addEvent(
    { workspaceId: job.workspaceId, jobId: job.id },
    { id: newId(), level: 'info', type: 'message', message, data: null, createdAt: job.createdAt },
  )
  return created
}

function changeRoutes(router: Router, deps: JobRouteDeps): void {
  const { jobs, money, now } = deps
  /** @param changed null when the state of the job forbids the change */
  const changedOr = async (changed: TrainingJob | null, otherwise: () => Promise<TrainingJob>) =>
    jobReply(changed ?? (await otherwise()), now())
  mount(router, cancelFineTuningJob, async ({ params, identity }) => {
    const job = await requireJob(jobs, identity, params.id)
    const cancelled = await jobs.cancel(job, now())
    // A resumption that failed may have left the next hold.
    if (cancelled?.status === 'cancelled' && job.status === 'paused') {
      await releaseUnused(money, holdOf(job, job.holdNumber + 1))
    }
    return changedOr(cancelled, async () => {
      const ended = await requireJob(jobs, identity, params.id)
      if (ended.status === 'cancelled') return ended
      throw new ServiceError('conflict', `The job has already ${ended.status} and cannot be cancelled.`)
    })
  })
  mount(router, pauseFineTuningJob, async ({ params, identity }) => {
    const job = await requireJob(jobs, identity, params.id)
    return changedOr(await jobs.pause(job), async () => {
      const present = await requireJob(jobs, identity, params.id)
      if (present.status === 'paused') return present
      const isEnding = present.status === 'running'
      const why = isEnding ? 'is being cancelled' : `is \`${present.status}\``
      throw new ServiceError('conflict', `Only a running job can be paused; this one ${why}.`)
    })
  })
  mount(router, resumeFineTuningJob, async ({ params, identity, request }) => {
    const job = await requireJob(jobs, identity, params.id)
    const number = job.holdNumber + 1
    const amountNano = neededHoldNano(job)
    if (job.status !== 'paused') {
      // A repetition with a key, whose first answer was lost.
      if (readIdempotencyKey(request) !== null && isResumed(job)) return jobReply(job, now())
      throw notPaused(job)
    }
    await takeHold(money, { hold: { ...holdOf(job, number), keyId: identity.keyId }, amountNano, noun: 'job' })
    return changedOr(await jobs.resume(job, { number, amountNano }), async () => {
      const present = await requireJob(jobs, identity, params.id)
      // Another request resumed it at the same time, with the same hold.
      if (present.holdNumber === number) return present
      // A hold that was released cannot be taken again, and a job that is still paused will need it.
      if (present.status !== 'paused') await releaseUnused(money, holdOf(job, number))
      throw notPaused(present)
    })
  })
}

function isResumed({ status, holdNumber }: TrainingJob): boolean {
  return holdNumber > 1 && (status === 'queued' || status === 'running')
}

function notPaused({ status }: TrainingJob): ServiceError {
  return new ServiceError('conflict', `Only a paused job can be resumed; this one is \`${status}\`.`)
}
