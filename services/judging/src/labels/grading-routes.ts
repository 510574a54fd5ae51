import type { Identity } from '@ratchet/contracts/identity'
import { type GradeCandidate, type GradingForecast, nextToGrade } from '@ratchet/contracts/scans'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { Evidence } from '../calibration/calibration-result.ts'
import type { CalibrationStore } from '../calibration/pg-calibrations.ts'
import { stratumKey } from '../calibration/strata.ts'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { type VerdictCostDeps, verdictCost } from '../gates/verdict-cost.ts'
import { requireLog } from '../runs/require-log.ts'
import {
  type ChosenExchange,
  chooseCandidates,
  type OpenStratum,
  openStrata,
  reachedWith,
  withOffered,
} from './choose-candidates.ts'
import { createForecasts, type Forecasts } from './forecasts.ts'
import { findMissing, type GradableContent, itemsOf, readContents } from './gradable-content.ts'
import type { GradeWork } from './grade-work.ts'
import { frameKindOf, type GradingFrame, type GradingStrategy, judgedVerdictOf } from './grading-frame.ts'
import { currentFrame, drawFrame, type FrameDeps, type FrameOrder, rankIn } from './grading-frames.ts'
import { gradingTakes } from './grading-takes.ts'
import type { ReadGradingPace } from './pg-grading-pace.ts'
import { openClassesOf } from './plan-grading.ts'

interface GradingRouteDeps extends FrameDeps, VerdictCostDeps {
  readonly criteria: CriterionStore
  readonly calibrations: Pick<CalibrationStore, 'evidence'>
  readonly log: LogReader
  readonly gradeWork: Pick<GradeWork, 'sliced'>
  readonly readPace: ReadGradingPace
}

/** Chooses the exchanges or runs that people should grade next. */
export function gradingRoutes(router: Router, deps: GradingRouteDeps): void {
  const forecasts = createForecasts(deps.gradeWork.sliced)
  mount(router, nextToGrade, async ({ params, query: { limit, strategy, reveal }, identity }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    const evidence = (await deps.calibrations.evidence([criterion.id])).get(criterion.id) ?? null
    const request = { criterion, identity, limit, strategy, evidence }
    const { offered, used } = await requireLog(() => offer(deps, request))
    const data = offered.map((each) => candidateReply(each, { strategy: used, reveal }))
    const plan = await planOf({ ...deps, forecasts }, request, { offered, used })
    return { object: 'list' as const, data, strategy: used, plan }
  })
}

interface Request {
  readonly criterion: StoredCriterion
  readonly identity: Identity
  readonly limit: number
  readonly strategy: GradingStrategy
  readonly evidence: Evidence | null
}

interface OfferedExchange {
  readonly frameId: string
  /** Those of the frame, with these exchanges offered. */
  readonly strata: readonly OpenStratum[]
  readonly chosen: ChosenExchange
  readonly content: GradableContent
}

interface Offer {
  readonly offered: readonly OfferedExchange[]
  readonly used: GradingStrategy
}

/** While the judge has judged nothing, exchanges are drawn at random. */
async function offer(deps: GradingRouteDeps, request: Request): Promise<Offer> {
  const { strategy, criterion, identity } = request
  const order = { criterion, identity, kind: frameKindOf(strategy) }
  const offered = await offerFrom(deps, request, order)
  if (offered !== null || strategy === 'random') return { offered: offered ?? [], used: strategy }
  const random = { ...request, strategy: 'random' as const }
  return { offered: (await offerFrom(deps, random, { ...order, kind: 'random' })) ?? [], used: 'random' }
}

/** Null when there is no frame of the kind, and none can be drawn. */
async function offerFrom(deps: GradingRouteDeps, request: Request, order: FrameOrder) {
  const frame = await currentFrame(deps, order)
  const offered = frame === null ? [] : await offerOf(deps, request, frame)
  if (offered.length > 0) return offered
  const next = await drawFrame(deps, order)
  return next === null ? null : offerOf(deps, request, next)
}

/** Exchanges that were deleted meanwhile are skipped: their place in the random order goes to the next ones. */
async function offerOf(
  deps: GradingRouteDeps,
  { criterion, identity, limit, strategy, evidence }: Request,
  frame: GradingFrame,
): Promise<readonly OfferedExchange[]> {
  const key = { workspaceId: criterion.workspaceId, criterionId: criterion.id }
  const place = { workspaceId: criterion.workspaceId, frameId: frame.id }
  const rank = rankIn(frame.id)
  const openClasses = openClassesOf(evidence?.measures ?? null)
  for (;;) {
    const items = await deps.frames.items(key, frame.id)
    const strata = openStrata(items, rank)
    const chosen = chooseCandidates(strata, strategy, { limit, rank, openClasses })
    const contents = await readContents(deps.log, identity, itemsOf(chosen, items))
    const missing = chosen.filter((_, index) => contents[index] === null).map(({ logId }) => logId)
    if (missing.length > 0) {
      const open = items.filter(({ isGraded }) => !isGraded)
      const others = await findMissing(deps.log, identity, open)
      await deps.frames.markMissing(place, [...missing, ...others], deps.now())
      continue
    }
    const reached = reachedWith(strata, chosen)
    await deps.frames.markOffered(place, reached, deps.now())
    const after = withOffered(strata, reached)
    return chosen.flatMap((each, index) => {
      const content = contents[index] ?? null
      return content === null ? [] : [{ frameId: frame.id, strata: after, chosen: each, content }]
    })
  }
}

async function planOf(
  deps: GradingRouteDeps & { readonly forecasts: Forecasts },
  { criterion, identity, evidence }: Request,
  { offered: [first], used: strategy }: Offer,
): Promise<GradingForecast | null> {
  if (first === undefined) return null
  const { frameId, strata } = first
  const seed = `${criterion.id} ${evidence?.calibrationId ?? ''}`
  const facts = { frameId, strata, strategy, measures: evidence?.measures ?? null, seed }
  const [forecast, pace] = await Promise.all([
    deps.forecasts.of(criterion.id, facts),
    deps.readPace(criterion.workspaceId),
  ])
  const needed = forecast.grades_needed ?? 0
  // Its price may be asked of inference, so only for grades that are planned.
  const cost = needed === 0 ? null : await verdictCost(deps, { criterion, identity })
  const graded = strata.reduce((total, stratum) => total + stratum.graded, 0)
  const planned = { grades: forecast.grades_needed, graded, pace, usdPerVerdict: cost?.usd ?? null }
  return { ...forecast, ...gradingTakes(planned) }
}

interface ReplyOptions {
  readonly strategy: GradingStrategy
  readonly reveal: boolean
}

function candidateReply(
  { frameId, content, chosen }: OfferedExchange,
  { strategy, reveal }: ReplyOptions,
): GradeCandidate {
  const { samplingProbability, stratum: name } = chosen
  const stratum = stratumKey(frameId, name)
  return {
    log_id: content.log_id,
    trace_id: content.trace_id,
    created_at: content.created_at,
    segment: content.segment,
    tag: content.tag,
    sampling_probability: samplingProbability,
    stratum,
    sampling: { method: strategy, probability: samplingProbability, stratum },
    messages: content.messages,
    response: content.response,
    tools: content.tools,
    ...(reveal ? { judge_verdict: judgedVerdictOf(name) } : {}),
  }
}
