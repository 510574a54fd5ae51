import { isDeepStrictEqual } from 'node:util'
import type { Identity } from '@ratchet/contracts/identity'
import { usdToNano } from '@ratchet/contracts/money'
import { pageReply } from '@ratchet/contracts/page'
import { publicId } from '@ratchet/contracts/public-id'
import {
  closeRound,
  getRound,
  listRounds,
  type OpenRound,
  openRound,
  type RoundEstimate,
} from '@ratchet/contracts/review-rounds'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import { estimateCostUsd } from '../calibration/estimate-cost.ts'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireJudgePrices } from '../criteria/judge-prices.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import { requireLog } from '../runs/require-log.ts'
import { runOfCriterion } from '../runs/run-of-criterion.ts'
import { drawSample } from '../scans/draw-sample.ts'
import { requireFilters } from '../scans/require-filters.ts'
import { evidenceOf } from './evidence.ts'
import type { BatchReads } from './pg-batches.ts'
import type { RoundFigures, RoundStore } from './pg-rounds.ts'
import { readRoundItems } from './read-round-items.ts'
import { requireRound } from './require-round.ts'
import { type Round, type RoundRequest, roundStatus } from './round.ts'
import { roundReply, strataReply } from './round-reply.ts'

export interface RoundRouteDeps {
  readonly gradeWork: GradeWork
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly rounds: RoundStore
  readonly batches: Pick<BatchReads, 'hiddenLabels' | 'strata'>
  readonly grades: Pick<GradeReader, 'inForce' | 'unanswered'>
  readonly runs: Pick<RunStore, 'get'>
  readonly log: Pick<LogReader, 'sample' | 'drawRuns' | 'readRuns'>
  readonly models: ModelCatalog
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  readonly notifyRound: (round: Pick<Round, 'workspaceId' | 'id'>, version: number) => Promise<void>
}

/** Rounds of review: opened and closed by owners and admins, read by everybody. */
export function roundRoutes(router: Router, deps: RoundRouteDeps): void {
  const { rounds, criteria, now } = deps
  mountRaw(router, openRound, async ({ identity, request }, response) => {
    const body = parseInput(openRound.body, await readJson(request, response, openRound.maxJsonBytes))
    const order = await orderOf(deps, identity, body)
    if (body.dry_run) {
      response.json(openRound.reply.parse(await estimate(deps, identity, order)))
      return
    }
    await requireLog(() => deps.log.sample(identity, { filters: {}, count: 1, seed: 0 }))
    const { run, headers } = await open(deps, identity, { order, body, request })
    await deps.enqueueRuns([run.id])
    const round = await requireRound(rounds, identity, publicId('round', run.id))
    response.status(openRound.status).set(headers)
    response.json(openRound.reply.parse(roundReply(round, await figuresOf(deps, round))))
  })
  mount(router, listRounds, async ({ query, identity }) => {
    const { workspaceId } = identity
    const { criterion_id: named } = query
    const criterion = named === undefined ? null : await requireCriterion(criteria, identity, named, 'criterion_id')
    const found = await rounds.list({ ...query, workspaceId, criterionId: criterion?.id ?? null })
    const ids = found.rounds.map(({ id }) => id)
    const figures = await rounds.figures(workspaceId, ids)
    const data = found.rounds.map((round) => roundReply(round, figures.get(round.id) ?? noFigures))
    return pageReply(data, found.total, query)
  })
  mount(router, getRound, async ({ params, identity }) => {
    const round = await requireRound(rounds, identity, params.id)
    const criterion = await criteria.get({ workspaceId: round.workspaceId, id: round.criterionId })
    const hidden = await deps.batches.hiddenLabels(round, now())
    const items = await readRoundItems(deps, criterion, { roundId: round.id, hidden, at: now() })
    const strata = await deps.batches.strata(round, now())
    return {
      ...roundReply(round, await figuresOf(deps, round)),
      evidence: evidenceOf(items, round.id),
      strata: strataReply(strata, items.decided),
    }
  })
  mount(router, closeRound, async ({ params, identity }) => {
    const round = await requireRound(rounds, identity, params.id)
    if (roundStatus(round) === 'preparing') {
      throw new ServiceError('conflict', 'The round is being prepared. Close it when it is open.')
    }
    await rounds.close(round, { by: identity.userId, at: now() })
    const closed = await requireRound(rounds, identity, params.id)
    await deps.notifyRound(closed, closed.closedAt?.getTime() ?? 0)
    return roundReply(closed, await figuresOf(deps, closed))
  })
}

const noFigures: RoundFigures = {
  graded: 0,
  unsure: 0,
  notSeen: 0,
  graders: [],
  shownMs: 0,
  frameRows: 0,
  verdicts: { total: 0, done: 0, costNano: 0n, waitingFor: null },
}

async function figuresOf({ rounds }: RoundRouteDeps, { workspaceId, id }: Round): Promise<RoundFigures> {
  return (await rounds.figures(workspaceId, [id])).get(id) ?? noFigures
}

interface RoundOrder {
  readonly judge: StoredCriterion
  readonly challenger: StoredCriterion | null
  readonly request: RoundRequest
}

const dayMs = 86_400_000

async function orderOf(deps: RoundRouteDeps, identity: Identity, body: OpenRound): Promise<RoundOrder> {
  const judge = await requireCriterion(deps.criteria, identity, body.criterion_id, 'criterion_id')
  const named = body.challenger_id ?? null
  const challenger = named === null ? null : await requireChallenger(deps, identity, { id: named, unit: judge.unit })
  if (challenger?.id === judge.id) {
    throw new ServiceError('invalid_request', 'A judge cannot challenge itself.', { param: 'challenger_id' })
  }
  requireFilters(judge, body.filters)
  if (judge.unit === 'trace' && body.frame_rows > maxRuns) {
    throw invalidRequest('frame_rows', `A round of runs has at most ${maxRuns} runs.`)
  }
  const start = new Date(deps.now().getTime() - body.days * dayMs).toISOString()
  return {
    judge,
    challenger,
    request: {
      filters: { ...body.filters, start },
      frameRows: body.frame_rows,
      challengerId: challenger?.id ?? null,
      shares: { double: body.double_percent, again: body.again_percent, known: body.known_percent },
    },
  }
}

async function requireChallenger(
  { criteria }: RoundRouteDeps,
  identity: Identity,
  { id, unit }: Pick<StoredCriterion, 'id' | 'unit'>,
): Promise<StoredCriterion> {
  const challenger = await requireCriterion(criteria, identity, id, 'challenger_id')
  if (challenger.unit === unit) return challenger
  const message = 'Both judges must judge exchanges, or both complete runs.'
  throw new ServiceError('unsupported_unit', message, { param: 'challenger_id' })
}

/** The log draws so many runs at once. */
const maxRuns = 2_000

/** Items from whose tokens the cost is estimated. Those of a run are read with all its steps. */
const maxEstimated = { request: 200, trace: 40 } as const
const bytesPerToken = 4

async function estimate(
  { log, models }: RoundRouteDeps,
  identity: Identity,
  { judge, challenger, request }: RoundOrder,
): Promise<RoundEstimate> {
  const { filters, frameRows } = request
  const order = { criterion: judge, filters, count: Math.min(maxEstimated[judge.unit], frameRows), seed: 0 }
  const { matched, items } = await requireLog(() => drawSample(log, identity, order))
  const rows = Math.min(frameRows, matched)
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0) / Math.max(1, items.length)
  const costOf = async (member: StoredCriterion) => {
    const model = await requireJudgePrices(models, { identity, judge: member })
    const contentBytes = Math.ceil(tokens * rows * bytesPerToken)
    return estimateCostUsd({ rows, contentBytes, judgePrompt: member.judgePrompt, model })
  }
  return {
    object: 'review.round_estimate',
    matched,
    frame_rows: rows,
    verdicts: rows * (challenger === null ? 1 : 2),
    judge_cost_usd: await costOf(judge),
    challenger_cost_usd: challenger === null ? 0 : await costOf(challenger),
  }
}

interface Opening {
  readonly order: RoundOrder
  readonly body: OpenRound
  readonly request: Request
}

async function open(deps: RoundRouteDeps, identity: Identity, { order, body, request }: Opening) {
  const { workspaceId, userId: createdBy } = identity
  const { judge } = order
  await requireJudgePrices(deps.models, { identity, judge })
  const maxCostNano = typeof body.max_cost_usd === 'number' ? usdToNano(body.max_cost_usd) : null
  const creation = {
    request,
    scope: ['round', workspaceId, judge.id],
    newId: deps.newId,
    find: (id: string) => deps.runs.get({ workspaceId, id, kind: 'round' }),
    isSame: (run: JudgeRun) =>
      isDeepStrictEqual(withoutStart(run.request), withoutStart(order.request)) && run.maxCostNano === maxCostNano,
  }
  const { started, headers } = await createIdempotently(creation, async (id) => {
    const about = { ...runOfCriterion(judge), id, kind: 'round' as const, request: order.request }
    await deps.rounds.start({ ...about, maxCostNano, createdBy, createdAt: deps.now() }, order.request)
    const run = await creation.find(id)
    if (run === null) throw new Error('the round was added')
    return run
  })
  return { run: started, headers }
}

/** The first day moves with the time of the request, so it says nothing about whether two requests are the same. */
function withoutStart(request: unknown) {
  const { filters, ...others } = JSON.parse(JSON.stringify(request)) as RoundRequest
  const { start: _, ...named } = filters
  return { ...others, filters: named }
}
