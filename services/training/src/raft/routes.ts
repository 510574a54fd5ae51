import { isDeepStrictEqual } from 'node:util'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd, usdToNano } from '@ratchet/contracts/money'
import { pageReply } from '@ratchet/contracts/page'
import { uuidOf } from '@ratchet/contracts/public-id'
import { getRaftAudit, getRaftRound, listRaftRounds } from '@ratchet/contracts/raft'
import { cancelRaftRound, estimateRaftRound, resumeRaftRound, startRaftRound } from '@ratchet/contracts/session-raft'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { readIdempotencyKey } from '@ratchet/service-kit/http/idempotency-key'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { auditReply } from '../audits/audit-reply.ts'
import { requireProven } from '../grpo/rewards/judge-directory.ts'
import type { JobStore } from '../jobs/job-store.ts'
import { requireRoom } from '../jobs/require-room.ts'
import { estimateRound } from './estimate-round.ts'
import { checkRound, evalWarnings, type PrepareRoundDeps, prepareRound } from './prepare-round.ts'
import { isOver, type RoundStore, type ShownRound } from './round.ts'
import { auditSample, type RoundAudits } from './round-audit.ts'
import { roundReply } from './round-reply.ts'

export interface RoundRouteDeps extends Omit<PrepareRoundDeps, 'rounds' | 'audits'> {
  readonly rounds: RoundStore
  readonly audits: RoundAudits
  readonly jobs: Pick<JobStore, 'cancel'>
  readonly now: () => Date
  readonly newId: () => string
  readonly newSeed: () => number
}

/** Reads of rounds, and for people in the dashboard also their start, end and resumption. */
export function raftRoutes(router: Router, deps: RoundRouteDeps): void {
  const { rounds, audits } = deps
  mount(router, listRaftRounds, async ({ query, identity: { workspaceId } }) => {
    const { status, limit, offset } = query
    const criterionId = filterOf('criterion', query.criterion_id)
    const chainId = filterOf('raftRound', query.chain_id)
    const { total, rounds: page } = await rounds.list({ workspaceId, status, criterionId, chainId, limit, offset })
    return pageReply(page.map(roundReply), total, { limit, offset })
  })
  mount(router, getRaftRound, async ({ params, identity }) =>
    roundReply(await requireRound(rounds, identity, params.id)),
  )
  mount(router, getRaftAudit, async ({ params, identity }) => {
    const { workspaceId, id } = await requireRound(rounds, identity, params.id)
    const [answers, found] = await Promise.all([
      audits.answers({ workspaceId, id }, { limit: auditSample, grader: identity.userId }),
      audits.found(workspaceId, [id]),
    ])
    return { ...auditReply(found.get(id) ?? { graded: 0, falsePass: 0 }, answers), round_id: params.id }
  })
  startRoute(router, deps)
  estimateRoute(router, deps)
  changeRoutes(router, deps)
}

/** What is no id matches nothing. */
function filterOf(kind: 'criterion' | 'raftRound', id: string | undefined): string | undefined {
  return id === undefined ? undefined : (uuidOf(kind, id) ?? '00000000-0000-0000-0000-000000000000')
}

function startRoute(router: Router, deps: RoundRouteDeps): void {
  const { rounds, now, newId, newSeed } = deps
  mountJson(router, startRaftRound, async ({ body, identity, request }) => {
    const { workspaceId } = identity
    const asked: unknown = JSON.parse(JSON.stringify(body))
    const order = {
      request,
      scope: ['raft-round', workspaceId],
      newId,
      find: (id: string) => rounds.get({ workspaceId, id }),
      isSame: ({ settings, previousRoundId }: ShownRound) =>
        previousRoundId !== null || isDeepStrictEqual(settings.request, asked),
    }
    const { started, headers } = await createIdempotently(order, async (id) => {
      requireRoom('rounds', await rounds.countUnfinished(workspaceId))
      const round = await prepareRound(deps, {
        id,
        identity,
        request: body,
        seed: body.seed ?? newSeed(),
        createdAt: now(),
      })
      if (!(await rounds.create(round))) throw new ServiceError('conflict', 'Another round of the chain has not ended.')
      return requireStored(rounds, { workspaceId, id })
    })
    return { headers, reply: roundReply(started) }
  })
}

function estimateRoute(router: Router, deps: RoundRouteDeps): void {
  mountJson(router, estimateRaftRound, async ({ body, identity }) => {
    const request = { ...body, maxCostUsd: body.maxCostUsd ?? 0 }
    const checked = await checkRound(deps, { identity, request, seed: body.seed ?? 0 })
    const { baseModel, startModel } = checked.beginning
    const estimate = estimateRound(checked, await deps.catalog.find(identity, startModel))
    const isCut = body.maxCostUsd != null && usdToNano(body.maxCostUsd) < estimate.totalNano
    const reply = {
      object: 'raft.estimate' as const,
      base_model: baseModel,
      start_model: startModel,
      prompts: checked.train.length,
      held_out: checked.heldOut.length,
      answers: estimate.answers,
      sampling_usd: nanoToUsd(estimate.samplingNano),
      judging_usd: nanoToUsd(estimate.judgingNano),
      training_tokens: estimate.trainingTokens,
      training_usd: nanoToUsd(estimate.trainingNano),
      total_usd: nanoToUsd(estimate.totalNano),
      warnings: [
        ...checked.warnings,
        ...evalWarnings(checked.request),
        ...(isCut ? ['`maxCostUsd` is less than the estimated cost: the round may fail before it is trained.'] : []),
      ],
    }
    return { reply }
  })
}

function changeRoutes(router: Router, deps: RoundRouteDeps): void {
  const { rounds, jobs, judges, now } = deps
  mount(router, cancelRaftRound, async ({ params, identity }) => {
    const round = await requireRound(rounds, identity, params.id)
    const isCancelled = await rounds.cancel(round, now())
    const present = await requireStored(rounds, round)
    if (!isCancelled && present.status !== 'cancelled') {
      throw new ServiceError('conflict', `The round is \`${present.status}\` and cannot be cancelled.`)
    }
    if (present.jobId !== null) await jobs.cancel({ workspaceId: round.workspaceId, id: present.jobId }, now())
    return roundReply(present)
  })
  mount(router, resumeRaftRound, async ({ params, identity, request }) => {
    const round = await requireRound(rounds, identity, params.id)
    // A repetition with a key, whose first answer was lost.
    if (readIdempotencyKey(request) !== null && !isOver(round)) return roundReply(round)
    if (round.errorCode !== null && forGood.has(round.errorCode)) {
      throw new ServiceError(
        'conflict',
        `The round failed: ${round.statusMessage ?? round.errorCode} Start another one.`,
      )
    }
    if (round.status === 'done') throw new ServiceError('conflict', 'The round is `done`.')
    requireRoom('rounds', await rounds.countUnfinished(round.workspaceId))
    for (const { criterionId } of round.judges) {
      const judge = await judges.find(identity, criterionId)
      if (judge === null) throw new ServiceError('conflict', 'A judge of the round was deleted. Start another round.')
      requireProven(judge, 'id')
    }
    if (!(await rounds.resume(round))) {
      const { status } = await requireStored(rounds, round)
      throw new ServiceError('conflict', `The round is \`${status}\`, or another round of its chain works.`)
    }
    return roundReply(await requireStored(rounds, round))
  })
}

/** Failures that the same answers would lead to again. */
const forGood = new Set([
  'precision_too_low',
  'no_answers_accepted',
  'too_few_examples',
  'answers_too_alike',
  'sampling_failed',
  'max_cost_reached',
])

/** @throws ServiceError `not_found`, also for a round of another workspace */
async function requireRound(
  rounds: Pick<RoundStore, 'get'>,
  { workspaceId }: Identity,
  publicId: string,
): Promise<ShownRound> {
  const id = uuidOf('raftRound', publicId)
  if (id === null) throw notFound('round')
  return requireStored(rounds, { workspaceId, id })
}

async function requireStored(
  rounds: Pick<RoundStore, 'get'>,
  key: { readonly workspaceId: string; readonly id: string },
): Promise<ShownRound> {
  const round = await rounds.get(key)
  if (round === null) throw notFound('round')
  return round
}
