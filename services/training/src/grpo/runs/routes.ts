import { isDeepStrictEqual } from 'node:util'
import {
  cancelGrpoRun,
  createGrpoRun,
  estimateGrpoRun,
  getGrpoRun,
  listGrpoRuns,
  pauseGrpoRun,
  resumeGrpoRun,
} from '@ratchet/contracts/grpo'
import type { CreateGrpoRun } from '@ratchet/contracts/grpo-body'
import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { readIdempotencyKey } from '@ratchet/service-kit/http/idempotency-key'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { isOverQuota } from '@ratchet/work-kit/storage/within-quota'
import type { Router } from 'express'
import { bodyReader } from '../../bodies/body-routes.ts'
import { requireRoom } from '../../jobs/require-room.ts'
import type { JobMoney } from '../../money/job-money.ts'
import { holdOf, releaseUnused, takeHold } from '../../money/requested-hold.ts'
import { type CoverDeps, requireCover } from '../../money/require-cover.ts'
import { requireProven } from '../rewards/judge-directory.ts'
import { type MasterKeyDeps, requireNoMasterKey } from '../rewards/master-key-check.ts'
import { type PreparedRun, type PrepareRunDeps, prepareRun } from './prepare-run.ts'
import { readGrpoBody, type SchemaProblem } from './read-body.ts'
import type { GrpoRun, NewRun, RunStore } from './run.ts'
import { estimateReply, runReply } from './run-reply.ts'

export interface RunRouteDeps extends PrepareRunDeps, MasterKeyDeps, CoverDeps {
  readonly runs: RunStore
  readonly money: Pick<JobMoney, 'hold' | 'release'>
  readonly schemaProblem: SchemaProblem
  readonly now: () => Date
  readonly newId: () => string
  /** A seed for a run that names none. */
  readonly newSeed: () => number
}

export function runRoutes(router: Router, deps: RunRouteDeps): void {
  const { runs } = deps
  createRoutes(router, deps)
  mount(router, listGrpoRuns, async ({ query, identity: { workspaceId } }) => {
    const { status, limit, offset } = query
    const [found, counts] = await Promise.all([
      runs.list({ workspaceId, status, limit, offset }),
      runs.count(workspaceId, status),
    ])
    return {
      runs: found.map(runReply),
      candidates_waiting: counts.candidatesWaiting,
      active: counts.active,
      queued: counts.queued,
      total: counts.total,
      limit,
      offset,
      has_more: offset + found.length < counts.total,
    }
  })
  mount(router, getGrpoRun, async ({ params, identity }) => runReply(await requireRun(runs, identity, params.id)))
  changeRoutes(router, deps)
}

/** @throws ServiceError `not_found`, also for a run of another workspace */
export async function requireRun(
  runs: Pick<RunStore, 'get'>,
  { workspaceId }: Identity,
  publicId: string,
): Promise<GrpoRun> {
  const id = uuidOf('grpoRun', publicId)
  const run = id === null ? null : await runs.get({ workspaceId, id })
  if (run === null) throw notFound('GRPO run')
  return run
}

function createRoutes(router: Router, deps: RunRouteDeps): void {
  const { runs, now, newId, newSeed } = deps
  const reading = bodyReader(
    (sent) => readGrpoBody(sent, deps.schemaProblem),
    'Too many runs are being created or estimated at this moment. Retry.',
  )
  mountRaw(router, estimateGrpoRun, (input, response) =>
    reading(estimateGrpoRun, { ...input, response }, async (request) => {
      const prepared = await prepareRun(deps, { identity: input.identity, request, seed: request.seed ?? 0 })
      response.json(estimateGrpoRun.reply.parse(estimateReply(prepared)))
    }),
  )
  mountRaw(router, createGrpoRun, ({ identity, request: incoming }, response) =>
    reading(createGrpoRun, { identity, request: incoming, response }, async (request) => {
      const requested: unknown = JSON.parse(JSON.stringify(request))
      const { workspaceId } = identity
      const order = {
        request: incoming,
        scope: ['grpo-run', workspaceId],
        newId,
        find: (id: string) => runs.get({ workspaceId, id }),
        isSame: (run: GrpoRun) => isDeepStrictEqual(run.request, requested),
      }
      const { started, headers } = await createIdempotently(order, async (id) => {
        requireRoom('jobs', await runs.countUnfinished(workspaceId))
        const seed = request.seed ?? newSeed()
        const prepared = await prepareRun(deps, { identity, request, seed })
        const created = { id, identity, request, seed, lookId: newId(), createdAt: now() }
        const run = newRunOf(prepared, created)
        await requireCover(deps, { identity, amountNano: run.maxCostNano, param: 'maxCostUsd' })
        return await start(deps, run, { isRepeatable: readIdempotencyKey(incoming) !== null })
      })
      response
        .status(createGrpoRun.status)
        .set(headers)
        .json(createGrpoRun.reply.parse(runReply(started)))
    }),
  )
}

interface Ordered extends Pick<NewRun, 'id' | 'seed' | 'lookId' | 'createdAt'> {
  readonly identity: Identity
  readonly request: CreateGrpoRun
}

function newRunOf(prepared: PreparedRun, { identity, request, ...ordered }: Ordered): Omit<NewRun, 'checkCostNano'> {
  const { prices, estimate, model, ...checked } = prepared
  return {
    ...checked,
    ...ordered,
    workspaceId: identity.workspaceId,
    name: request.name,
    baseModel: model.id,
    afterTraining: request.afterTraining ?? null,
    request,
    trainNanoPerMtok: prices.trainNanoPerMtok,
    sampleNanoPerMtok: prices.sampleNanoPerMtok,
    estimatedCostNano: estimate.totalNano,
    createdBy: identity.userId,
  }
}

/** @param isRepeatable whether the request can be repeated with the same id, and then takes the same hold */
async function start(
  deps: RunRouteDeps,
  checked: Omit<NewRun, 'checkCostNano'>,
  { isRepeatable }: { readonly isRepeatable: boolean },
): Promise<GrpoRun> {
  const { money, runs } = deps
  const run = { ...checked, checkCostNano: await requireNoMasterKey(deps, checked) }
  const hold = holdOf(run, 1)
  await takeHold(money, { hold, amountNano: run.maxCostNano - run.judgingCapNano, noun: 'run' })
  return await runs.create(run).catch(async (error: unknown) => {
    // What is beyond the quota now is refused for good, and needs another key.
    if (isRepeatable && !isOverQuota(error)) throw error
    // It may be stored although the answer was lost.
    const stored = await runs.get(run)
    if (stored !== null) return stored
    await releaseUnused(money, hold)
    throw error
  })
}

function changeRoutes(router: Router, deps: RunRouteDeps): void {
  const { runs, money, now } = deps
  mount(router, cancelGrpoRun, async ({ params, identity }) => {
    const run = await requireRun(runs, identity, params.id)
    const cancelled = await runs.cancel(run, now())
    // A resumption that failed may have left the next hold.
    if (cancelled?.jobStatus === 'cancelled' && run.jobStatus === 'paused') {
      await releaseUnused(money, holdOf(run, run.holdNumber + 1))
    }
    if (cancelled !== null) return runReply(cancelled)
    const ended = await requireRun(runs, identity, params.id)
    if (ended.status === 'cancelled') return runReply(ended)
    throw new ServiceError('conflict', `The run is \`${ended.status}\` and cannot be cancelled.`)
  })
  mount(router, pauseGrpoRun, async ({ params, identity }) => {
    const run = await requireRun(runs, identity, params.id)
    const paused = run.asked === null ? await runs.pause(run, { reason: 'user', message: null }) : null
    if (paused !== null) return runReply(paused)
    const present = await requireRun(runs, identity, params.id)
    if (present.status === 'paused' || present.asked === 'pause') return runReply(present)
    const why = present.asked === 'cancel' ? 'is being cancelled' : `is \`${present.status}\``
    throw new ServiceError('conflict', `Only a running run can be paused; this one ${why}.`)
  })
  mount(router, resumeGrpoRun, async ({ params, identity, request }) => {
    const run = await requireRun(runs, identity, params.id)
    if (run.jobStatus !== 'paused') {
      // A repetition with a key, whose first answer was lost.
      if (readIdempotencyKey(request) !== null && isResumed(run)) return runReply(run)
      throw notPaused(run)
    }
    await requireProvenJudges(deps, { identity, run })
    const number = run.holdNumber + 1
    const left = run.trainingCapNano - run.costNano
    const amountNano = left > 0n ? left : 0n
    await takeHold(money, { hold: holdOf(run, number), amountNano, noun: 'run' })
    const resumed = await runs.resume(run, { number, amountNano })
    if (resumed !== null) return runReply(resumed)
    const present = await requireRun(runs, identity, params.id)
    // Another request resumed it at the same time, with the same hold.
    if (present.holdNumber === number) return runReply(present)
    // A hold that was released cannot be taken again, and a run that is still paused will need it.
    if (present.jobStatus !== 'paused') await releaseUnused(money, holdOf(run, number))
    throw notPaused(present)
  })
}

/** @throws ServiceError `criterion_not_trustworthy` */
async function requireProvenJudges(
  { judges }: RunRouteDeps,
  { identity, run }: { readonly identity: Identity; readonly run: GrpoRun },
): Promise<void> {
  for (const judge of run.judges) {
    if (judge.role === 'holdout' && run.settings.holdout.criterionId === null) continue
    const now = await judges.find(identity, judge.criterionId)
    if (now !== null && now.instrument === judge.instrument) requireProven(now, 'id')
    else throw new ServiceError('conflict', 'A judge of the run was changed or deleted, so the run cannot go on.')
  }
}

function isResumed({ jobStatus, holdNumber }: GrpoRun): boolean {
  return holdNumber > 1 && (jobStatus === 'queued' || jobStatus === 'running')
}

function notPaused({ status }: GrpoRun): ServiceError {
  return new ServiceError('conflict', `Only a paused run can be resumed; this one is \`${status}\`.`)
}
