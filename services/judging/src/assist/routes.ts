import { isRunOver } from '@ratchet/contracts/calibrations'
import type { Identity } from '@ratchet/contracts/identity'
import {
  getImprovement,
  getSuggestions,
  type Improvement,
  improveCriterion,
  type Suggestions,
  suggestCriteria,
} from '@ratchet/contracts/judge-assist'
import { nanoToUsd, usdToNano } from '@ratchet/contracts/money'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { listImprovements, listSuggestions } from '@ratchet/contracts/session-criteria'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { type ModelCatalog, requireChatModel } from '@ratchet/judge-kit/fleet/model-catalog'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { waitAsPreferred } from '@ratchet/service-kit/http/prefer-wait'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { createTwoFilesPatch } from 'diff'
import type { Request, Router } from 'express'
import { selectCounted } from '../calibration/select-counted.ts'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { promptSha256 } from '../criteria/instrument.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { JudgementStore, RunProgress } from '../judgements/judgement.ts'
import type { GradeWork } from '../labels/grade-work.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import { requireLog } from '../runs/require-log.ts'
import { reread } from '../runs/reread.ts'
import { runOfCriterion } from '../runs/run-of-criterion.ts'
import { startRunOnce } from '../runs/start-run-once.ts'
import { everyGrade } from './every-grade.ts'
import type { ImprovementRequest, ImprovementState, PromptMetrics } from './improvement.ts'
import type { SuggestionRequest, SuggestionResult } from './suggestion.ts'

interface AssistRouteDeps {
  readonly gradeWork: GradeWork
  readonly criteria: CriterionStore
  readonly runs: RunStore
  readonly judgements: JudgementStore
  readonly grades: GradeReader
  readonly models: ModelCatalog
  readonly log: LogReader
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
}

/** Suggests judges and better prompts. It never changes a judge. */
export function assistRoutes(router: Router, deps: AssistRouteDeps): void {
  suggestionRoutes(router, deps)
  improvementRoutes(router, deps)
}

function suggestionRoutes(router: Router, deps: AssistRouteDeps): void {
  mountJson(router, suggestCriteria, async ({ body, identity, request }) => {
    const { segment, filters } = body
    if (typeof segment === 'string' && filters.segment !== undefined && filters.segment !== segment) {
      throw new ServiceError('invalid_request', 'segment and filters.segment differ.', { param: 'filters.segment' })
    }
    const model = body.model ?? (await newestJudgeModel(deps, identity))
    await requireChatModel(deps.models, { identity, name: model, param: 'model' })
    const requested = typeof segment === 'string' ? { ...filters, segment } : filters
    await requireLog(() => deps.log.sample(identity, { filters: {}, count: 1, seed: 0 }))
    const about = { criterionId: null, kind: 'suggestion' as const }
    const ordered = {
      request: { filters: requested, maxSuggestions: body.max_suggestions } satisfies SuggestionRequest,
      maxCostNano: null,
    }
    const order = { ...about, request, workspaceId: identity.workspaceId, requested: ordered }
    const { run, headers } = await startRunOnce(deps, order, (id) =>
      deps.runs.create({
        ...newRun(deps, identity),
        ...about,
        ...ordered,
        id,
        instrument: 1,
        judgeModel: model,
        promptSha256: promptSha256(''),
      }),
    )
    await deps.enqueueRuns([run.id])
    return { headers, reply: await waitForSuggestions(deps, request, run) }
  })
  mount(router, getSuggestions, async ({ params, identity, request }) => {
    const id = uuidOf('suggestion', params.suggestion_id)
    const run = id === null ? null : await deps.runs.get({ workspaceId: identity.workspaceId, id, kind: 'suggestion' })
    if (run === null) throw notFound('suggestions have this id', 'suggestion_id')
    return waitForSuggestions(deps, request, run)
  })
  mount(router, listSuggestions, async ({ query, identity: { workspaceId } }) => {
    const { total, runs } = await deps.runs.list({ workspaceId, criterionId: null, kind: 'suggestion', ...query })
    return pageReply(runs.map(suggestionsReply), total, query)
  })
}

function waitForSuggestions({ runs }: AssistRouteDeps, request: Request, run: JudgeRun) {
  return waitAsPreferred(request, { read: async () => suggestionsReply(await reread(runs, run)), isOver: isRunOver })
}

async function newestJudgeModel({ criteria }: AssistRouteDeps, { workspaceId }: Identity): Promise<string> {
  const newest = (await criteria.list({ workspaceId })).find(({ checks }) => checks === null)
  if (newest !== undefined) return newest.judgeModel
  throw new ServiceError('invalid_request', 'Required, because the workspace has no judge whose model could be used.', {
    param: 'model',
  })
}

function newRun({ now }: AssistRouteDeps, { workspaceId, userId }: Identity) {
  return { workspaceId, createdBy: userId, createdAt: now() }
}

function suggestionsReply(run: JudgeRun): Suggestions {
  const result = run.result as SuggestionResult | null
  return {
    object: 'criterion.suggestions',
    id: publicId('suggestion', run.id),
    status: run.status === 'VOIDED' ? 'FAILED' : run.status,
    error: run.error,
    model: run.judgeModel,
    evidence: { graded_fails: result?.gradedFails ?? 0, exchanges: result?.exchanges ?? 0 },
    suggestions: (result?.suggestions ?? []).map((each) => ({ ...each, evidence_log_ids: [...each.evidence_log_ids] })),
    cost_usd: nanoToUsd(BigInt(result?.costNano ?? '0')),
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

function improvementRoutes(router: Router, deps: AssistRouteDeps): void {
  mountJson(router, improveCriterion, async ({ body, params, identity, request }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    if (criterion.checks !== null) {
      const message = 'This criterion judges by checks, which have no prompt to improve. Change its `checks`.'
      throw new ServiceError('unsupported_kind', message, { param: 'id' })
    }
    const model = body.model ?? criterion.judgeModel
    await requireChatModel(deps.models, { identity, name: model, param: 'model' })
    await requireBothClasses(deps, criterion)
    const about = { ...runOfCriterion(criterion), kind: 'improvement' as const }
    const ordered = {
      request: { maxIterations: body.max_iterations, model } satisfies ImprovementRequest,
      maxCostNano: typeof body.max_cost_usd === 'number' ? usdToNano(body.max_cost_usd) : null,
    }
    const order = { ...about, request, requested: ordered }
    const { run, headers } = await startRunOnce(deps, order, (id) =>
      deps.runs.create({
        ...newRun(deps, identity),
        ...about,
        ...ordered,
        id,
      }),
    )
    await deps.enqueueRuns([run.id])
    return { headers, reply: await waitForImprovement(deps, request, { run, criterion }) }
  })
  mount(router, getImprovement, async ({ params, identity, request }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    const id = uuidOf('improvement', params.improvement_id)
    const run = id === null ? null : await deps.runs.get({ workspaceId: identity.workspaceId, id, kind: 'improvement' })
    if (run === null || run.criterionId !== criterion.id) {
      throw notFound('improvement of this criterion', 'improvement_id')
    }
    return waitForImprovement(deps, request, { run, criterion })
  })
  mount(router, listImprovements, async ({ params, query, identity }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    const { total, runs } = await deps.runs.list({ ...runOfCriterion(criterion), kind: 'improvement', ...query })
    return pageReply(await Promise.all(runs.map((run) => readImprovement(deps, { run, criterion }))), total, query)
  })
}

function waitForImprovement(deps: AssistRouteDeps, request: Request, { run, criterion }: ImprovementRun) {
  const read = async () => readImprovement(deps, { run: await reread(deps.runs, run), criterion })
  return waitAsPreferred(request, { read, isOver: isRunOver })
}

interface ImprovementRun {
  readonly run: JudgeRun
  readonly criterion: StoredCriterion
}

async function readImprovement({ judgements }: AssistRouteDeps, { run, criterion }: ImprovementRun) {
  return improvementReply(run, { criterion, progress: await judgements.progressOf(run.id) })
}

/** Minimum grades of each class; half are for tuning. */
const minOfClass = 10

async function requireBothClasses(deps: AssistRouteDeps, criterion: StoredCriterion): Promise<void> {
  const { items } = await selectCounted(deps, criterion, { at: deps.now(), request: everyGrade })
  const checks = (['fail', 'pass'] as const).map((human) => {
    const observed = items.filter((item) => item.human === human).length
    return {
      name: `graded_${human}`,
      operator: '>=',
      threshold: minOfClass,
      observed,
      passed: observed >= minOfClass,
    }
  })
  if (checks.every(({ passed }) => passed)) return
  const [fail, pass] = checks.map(({ observed }) => observed)
  throw new ServiceError(
    'precondition_failed',
    `An improvement needs ${minOfClass} graded items of each class. There are ${fail} fails and ${pass} passes.`,
    { details: { checks } },
  )
}

interface ReplyFacts {
  readonly criterion: StoredCriterion
  readonly progress: RunProgress
}

function improvementReply(run: JudgeRun, { criterion, progress }: ReplyFacts): Improvement {
  const { maxIterations } = run.request as ImprovementRequest
  const state = run.result as ImprovementState | null
  const best = state?.phase === 'done' && state.best > 0 ? state.tried[state.best] : undefined
  const present = state?.tried[0]?.prompt ?? criterion.judgePrompt
  return {
    object: 'criterion.improvement',
    id: publicId('improvement', run.id),
    criterion_id: publicId('criterion', criterion.id),
    status: run.status,
    error: run.error,
    progress: { iteration: Math.min(maxIterations, state?.tried.length ?? 0), max_iterations: maxIterations },
    proposed_judge_prompt: best?.prompt ?? null,
    reason: run.status === 'DONE' && best === undefined ? (state?.reason ?? null) : null,
    train_metrics: best === undefined ? null : metricsReply(best.train),
    holdout_metrics: metricsReply(state?.holdout ?? null),
    current_holdout_metrics: metricsReply(state?.currentHoldout ?? null),
    diff: best === undefined ? null : diffOf(present, best.prompt),
    cost_usd: nanoToUsd(progress.costNano + BigInt(state?.assistCostNano ?? '0')),
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

/** Prompts that differ in very many lines have no readable difference, and it would take minutes to compute. */
const diffLimits = { timeout: 50, maxEditLength: 500 }

function diffOf(present: string, proposed: string): string | null {
  return createTwoFilesPatch('present', 'proposed', present, proposed, undefined, undefined, diffLimits) ?? null
}

function metricsReply(metrics: PromptMetrics | null): Improvement['holdout_metrics'] {
  if (metrics === null) return null
  const { rows, unparseable, tpr, tnr, tprCi, tnrCi } = metrics
  return { rows, tpr, tnr, tpr_ci: tprCi, tnr_ci: tnrCi, n_unparseable: unparseable }
}
