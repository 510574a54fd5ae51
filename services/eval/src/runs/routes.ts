import { isDeepStrictEqual } from 'node:util'
import { type EvalPlan, estimateEval, type PlanEval } from '@ratchet/contracts/eval-plan'
import {
  type CreateEval,
  cancelEval,
  createEval,
  type Eval,
  getEval,
  listEvals,
  loggedBaseline,
} from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import { datasetReaders, evalProgress } from '@ratchet/contracts/internal-eval'
import { noteEvalJudge } from '@ratchet/contracts/internal-judging'
import { usdToNano } from '@ratchet/contracts/money'
import { pageReply } from '@ratchet/contracts/page'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { createIdempotently } from '@ratchet/service-kit/http/create-idempotently'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { waitAsPreferred } from '@ratchet/service-kit/http/prefer-wait'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { evidenceOfRun } from '../gate/evidence-of-run.ts'
import type { EvidenceStore } from '../gate/pg-evidence.ts'
import { planEval, usualSamples } from '../plan/plan-eval.ts'
import { recentLatencies, sampleTimeMs } from '../plan/recent-latencies.ts'
import { minPrompts, type PromptSurvey } from '../prompts/prompt-source.ts'
import { askedBy } from '../report/difference-of.ts'
import { interimReport } from '../report/interim-report.ts'
import type { SampleStore } from '../samples/sample.ts'
import { evalReply } from './eval-reply.ts'
import { cannotActReasonOf, type EvalJudge, type EvalRun, judgeModelsOf } from './eval-run.ts'
import type { EvalStore } from './eval-store.ts'
import type { NotifyEval } from './notify-eval.ts'
import { estimateReply, type PreparedEval, type PrepareEvalDeps, prepareEval, requireCovered } from './prepare-eval.ts'
import { requireEval } from './require-eval.ts'

export interface EvalRouteDeps extends PrepareEvalDeps {
  readonly samples: Pick<SampleStore, 'measured'>
  readonly evidence: EvidenceStore
  readonly evals: Pick<
    EvalStore,
    'create' | 'get' | 'list' | 'progress' | 'countDone' | 'countDatasetReaders' | 'cancel'
  >
  /** Notifies workers of evals. Never fails. */
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
  /** Never fails. */
  readonly notifyEval: NotifyEval
  readonly now: () => Date
  readonly newId: () => string
}

export function evalRoutes(router: Router, deps: EvalRouteDeps): void {
  const { evals } = deps
  createRoutes(router, deps)
  mount(router, listEvals, async ({ query, identity: { workspaceId } }) => {
    const { status, baseline_model: baselineModel, candidate_model: candidateModel, limit, offset } = query
    const { total, runs } = await evals.list({ workspaceId, status, baselineModel, candidateModel, limit, offset })
    const progress = await evals.progress(runs.map(({ id }) => id))
    const data = runs.map((run) => evalReply(run, progress.get(run.id)))
    return pageReply(data, total, { limit, offset })
  })
  mount(router, getEval, async ({ params, identity, request }) => {
    const read = async () => {
      const run = await requireEval(evals, identity, params.id)
      const [interim, evidence] = [await interimOf(deps, run), await evidenceOfRun(deps.evidence, run)]
      return { ...(await withProgress(evals, run)), interim, evidence }
    }
    return waitAsPreferred(request, { read, isOver: isEvalOver })
  })
  mount(router, cancelEval, async ({ params, identity }) => {
    const { workspaceId, id } = await requireEval(evals, identity, params.id)
    const cancelled = await evals.cancel({ workspaceId, id }, deps.now())
    if (cancelled !== null) {
      await deps.enqueueRuns([id])
      await deps.notifyEval(cancelled)
      return withProgress(evals, cancelled)
    }
    const ended = await requireEval(evals, identity, params.id)
    // Cancelling twice is not an error.
    if (ended.status === 'CANCELLED') return withProgress(evals, ended)
    throw new ServiceError('conflict', `The eval is already ${ended.status} and cannot be cancelled.`)
  })
  mount(router, evalProgress, async ({ identity }) => ({
    evals: await evals.countDone(identity.workspaceId),
    samples_needed: usualSamples,
  }))
  mount(router, datasetReaders, async ({ query, identity }) => ({
    evals: await evals.countDatasetReaders(identity.workspaceId, query.dataset_id),
  }))
}

function createRoutes(router: Router, deps: EvalRouteDeps): void {
  const { evals, inference, now, newId, enqueueRuns } = deps
  mountJson(router, estimateEval, async ({ body: request, identity }) => {
    const prepared = await prepareEval(deps, { identity, request })
    return { reply: estimateReply(prepared, await planOf(deps, { identity, request, prepared })) }
  })
  mountJson(router, createEval, async ({ body, identity, request }) => {
    const { workspaceId, userId: createdBy } = identity
    const requested: unknown = JSON.parse(JSON.stringify(body))
    const order = {
      request,
      scope: ['eval', workspaceId],
      newId,
      find: (id: string) => evals.get({ workspaceId, id }),
      isSame: (run: EvalRun) => isDeepStrictEqual(run.request, requested),
    }
    const { started, headers } = await createIdempotently(order, async (id) => {
      const { judge, survey, cost } = await prepareEval(deps, { identity, request: body })
      requirePrompts(body, survey)
      await requireCovered(inference, { identity, request: body, cost })
      const maxCostNano = body.max_cost_usd == null ? null : usdToNano(body.max_cost_usd)
      await noteJudge(deps, identity, judge)
      return evals.create({ id, workspaceId, request: body, judge, maxCostNano, createdBy, createdAt: now() })
    })
    await enqueueRuns([started.id])
    await deps.notifyEval(started)
    const read = async () => withProgress(evals, (await evals.get(started)) ?? started)
    return { headers, reply: await waitAsPreferred(request, { read, isOver: isEvalOver }) }
  })
}

/** Without the note the judge is not checked for drift, but the eval is as good. */
async function noteJudge(
  { judging }: Pick<EvalRouteDeps, 'judging'>,
  identity: Identity,
  judge: EvalJudge,
): Promise<void> {
  if (judge.criterionId === null || cannotActReasonOf(judge) !== null) return
  const body = { criterion_id: publicId('criterion', judge.criterionId) }
  await judging.call(noteEvalJudge, { body }, identity).catch((error: unknown) => {
    if (!(error instanceof FleetCallError)) throw error
  })
}

async function planOf(
  { log, now }: Pick<EvalRouteDeps, 'log' | 'now'>,
  { identity, request, prepared }: Planning,
): Promise<EvalPlan> {
  const { survey, cost, judge } = prepared
  const answering = [request.baseline_model, ...request.candidate_models].filter((name) => name !== loggedBaseline)
  const judging = judgeModelsOf(judge)
  const latencies = await recentLatencies(log, { identity, models: [...answering, ...judging], now: now() })
  return planEval({
    request,
    prompts: survey.tokens.length,
    judges: judging.length,
    costUsd: cost.answersUsd + cost.judgeUsd,
    sampleMs: sampleTimeMs(latencies, { answering, judging }),
  })
}

interface Planning {
  readonly identity: Identity
  readonly request: PlanEval
  readonly prepared: PreparedEval
}

async function interimOf({ samples }: Pick<EvalRouteDeps, 'samples'>, { id, status, request }: EvalRun) {
  if (status !== 'RUNNING') return null
  const measured = await samples.measured(id)
  return interimReport(measured, { asked: askedBy(request), candidateModels: request.candidate_models })
}

function requirePrompts({ sample_filters: filters, sample_count: count }: CreateEval, survey: PromptSurvey): void {
  const { distinct, eligible } = survey
  if (distinct >= minPrompts) return
  if (filters.trace_replay === true && eligible >= minPrompts) {
    const message = `Agent runs are used as a whole, and the first drawn ones have more than ${count} steps. Raise \`sample_count\`.`
    throw new ServiceError('invalid_request', message, { param: 'sample_count' })
  }
  const message = `An eval needs at least ${minPrompts} distinct prompts; the filters match ${distinct}.`
  throw new ServiceError('invalid_request', message, { param: 'sample_filters' })
}

/** A cancelled eval has its report a little later. */
function isEvalOver({ status, report }: Pick<Eval, 'status' | 'report'>): boolean {
  return status === 'DONE' || status === 'FAILED' || (status === 'CANCELLED' && report !== null)
}

async function withProgress(evals: Pick<EvalStore, 'progress'>, run: EvalRun) {
  const progress = await evals.progress([run.id])
  return evalReply(run, progress.get(run.id))
}
