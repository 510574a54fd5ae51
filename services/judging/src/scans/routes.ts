import { nanoToUsd, usdToNano } from '@ratchet/contracts/money'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { getScan, listVerdicts, type Scan, startScan, type VerdictRow } from '@ratchet/contracts/scans'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { mount } from '@ratchet/service-kit/mount'
import { mountJson } from '@ratchet/service-kit/mount-json'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import type { CriterionStore } from '../criteria/criterion.ts'
import { promptSha256 } from '../criteria/instrument.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import { requireRequestUnit } from '../criteria/require-request-unit.ts'
import type { DoneJudgement, JudgementStore, RunProgress } from '../judgements/judgement.ts'
import type { VerdictReads } from '../judgements/verdict-reads.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import { requireLog } from '../runs/require-log.ts'
import { startRunOnce } from '../runs/start-run-once.ts'
import { outsidePopulation } from './population-filters.ts'
import type { ScanRequest, ScanResult } from './scan-result.ts'

export interface ScanRouteDeps {
  readonly criteria: CriterionStore
  readonly runs: RunStore
  readonly judgements: Pick<JudgementStore, 'progressOf'>
  readonly verdicts: Pick<VerdictReads, 'list'>
  readonly log: Pick<LogReader, 'sample'>
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
}

const maxBodyBytes = 1024 * 1024

/** Looks of a judge at traffic, and everything that it said. */
export function scanRoutes(router: Router, deps: ScanRouteDeps): void {
  mountJson(router, startScan, {
    maxBodyBytes,
    async handle({ body, params, identity, request }) {
      const criterion = await requireCriterion(deps.criteria, identity, params.id)
      requireRequestUnit(criterion)
      const outside = outsidePopulation(criterion, body.filters)
      if (outside !== null) throw beyond(outside)
      await requireLog(() => deps.log.sample(identity, { filters: {}, count: 1, seed: 0 }))
      const { workspaceId, userId } = identity
      const requested = {
        request: { filters: body.filters, sampleCount: body.sample_count } satisfies ScanRequest,
        maxCostNano: typeof body.max_cost_usd === 'number' ? usdToNano(body.max_cost_usd) : null,
      }
      const order = { request, workspaceId, criterionId: criterion.id, kind: 'scan' as const, requested }
      const { run, headers } = await startRunOnce(deps, order, (id) =>
        deps.runs.create({
          ...requested,
          id,
          workspaceId,
          criterionId: criterion.id,
          kind: 'scan',
          instrument: criterion.instrument,
          judgeModel: criterion.judgeModel,
          promptSha256: promptSha256(criterion.judgePrompt),
          createdBy: userId,
          createdAt: deps.now(),
        }),
      )
      await deps.enqueueRuns([run.id])
      return { headers, reply: scanReply(run, await deps.judgements.progressOf(run.id)) }
    },
  })
  mount(router, getScan, async ({ params, identity }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    const id = uuidOf('scan', params.scan_id)
    const run = id === null ? null : await deps.runs.get({ workspaceId: identity.workspaceId, id, kind: 'scan' })
    if (run === null || run.criterionId !== criterion.id) {
      throw new ServiceError('not_found', 'No scan has this id.', { param: 'scan_id' })
    }
    return scanReply(run, await deps.judgements.progressOf(run.id))
  })
  mount(router, listVerdicts, async ({ params, query, identity }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    const { total, verdicts } = await deps.verdicts.list({ ...query, criterionId: criterion.id })
    const { limit, offset } = query
    const has_more = offset + verdicts.length < total
    return { object: 'list' as const, data: verdicts.map(verdictReply), total, limit, offset, has_more }
  })
}

function beyond({ field, population }: { readonly field: string; readonly population: string }): ServiceError {
  return new ServiceError(
    'invalid_request',
    `This judge was made for the ${field} ${population}; it looks at no other.`,
    {
      param: `filters.${field}`,
    },
  )
}

function scanReply(run: JudgeRun, progress: RunProgress): Scan {
  const { filters, sampleCount } = run.request as ScanRequest
  const result = { ...emptyResult, ...(run.result as Partial<ScanResult> | null) }
  const total = run.rowsTotal ?? progress.total
  const isOver = run.finishedAt !== null
  return {
    object: 'criterion.scan',
    id: publicId('scan', run.id),
    criterion_id: publicId('criterion', run.criterionId ?? ''),
    status: run.status,
    progress: { done: isOver ? total : progress.done + progress.poisoned, total },
    error: run.error,
    filters,
    sample_count: sampleCount,
    matched: result.matched,
    judged: result.judged,
    n_unparseable: result.unparseable,
    n_unjudged: result.unjudged,
    raw_pass_rate: result.rawPassRate,
    ...correctedReply(result),
    method: result.method,
    by_segment: result.bySegment.map((each) => ({
      segment: each.segment,
      judged: each.judged,
      raw_pass_rate: each.rawPassRate,
      ...correctedReply(each),
    })),
    cost_usd: nanoToUsd(result.costNano === null ? progress.costNano : BigInt(result.costNano)),
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

const emptyResult: Omit<ScanResult, 'matched' | 'costNano'> & Record<'matched' | 'costNano', null> = {
  matched: null,
  costNano: null,
  judged: 0,
  unparseable: 0,
  unjudged: 0,
  rawPassRate: null,
  correctedPassRate: null,
  correctedCi: null,
  method: null,
  bySegment: [],
}

function correctedReply({ correctedPassRate, correctedCi }: Pick<ScanResult, 'correctedPassRate' | 'correctedCi'>) {
  const corrected_ci: [number, number] | null = correctedCi === null ? null : [correctedCi[0], correctedCi[1]]
  return { corrected_pass_rate: correctedPassRate, corrected_ci }
}

function verdictReply(judgement: DoneJudgement): VerdictRow {
  const { item, labelId, source, verdict } = judgement
  if (verdict === null) throw new Error(`judgement ${judgement.id} has no verdict`)
  return {
    object: 'criterion.verdict',
    id: judgement.id,
    log_id: item.kind === 'log' ? publicId('log', item.logId) : null,
    label_id: labelId === null ? null : publicId('label', labelId),
    source: source as VerdictRow['source'],
    verdict,
    explanation: judgement.explanation,
    judge_model: judgement.judgeModelResolved,
    segment: judgement.segment,
    tag: judgement.tag,
    cost_usd: nanoToUsd(judgement.costNano),
    judged_at: judgement.judgedAt.toISOString(),
  }
}
