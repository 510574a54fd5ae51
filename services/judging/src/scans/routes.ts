import { isRunOver } from '@ratchet/contracts/calibrations'
import type { Identity } from '@ratchet/contracts/identity'
import { nanoToUsd, usdToNano } from '@ratchet/contracts/money'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { getScan, listVerdicts, type Scan, type StartScan, startScan, type VerdictRow } from '@ratchet/contracts/scans'
import { listLatestScans } from '@ratchet/contracts/session-criteria'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { waitAsPreferred } from '@ratchet/service-kit/http/prefer-wait'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { Request, Router } from 'express'
import { estimateCostUsd } from '../calibration/estimate-cost.ts'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { requireJudgePrices } from '../criteria/judge-prices.ts'
import { requireCriterion } from '../criteria/require-criterion.ts'
import type { DoneJudgement, JudgementStore, RunProgress } from '../judgements/judgement.ts'
import type { VerdictReads } from '../judgements/pg-verdicts.ts'
import type { JudgeRun, RunStore } from '../runs/judge-run.ts'
import { requireLog } from '../runs/require-log.ts'
import { reread } from '../runs/reread.ts'
import { runOfCriterion } from '../runs/run-of-criterion.ts'
import { seedOf } from '../runs/seed-of.ts'
import { isReplay, noProgress, type StartedRun, startRunOnce } from '../runs/start-run-once.ts'
import { drawSample } from './draw-sample.ts'
import type { ReadLatestScans } from './pg-latest-scans.ts'
import { requireFilters } from './require-filters.ts'
import type { ScanRequest, ScanResult } from './scan-result.ts'

interface ScanRouteDeps {
  readonly criteria: CriterionStore
  readonly runs: RunStore
  readonly judgements: JudgementStore
  readonly verdicts: VerdictReads
  readonly latestScans: ReadLatestScans
  readonly log: LogReader
  readonly models: ModelCatalog
  readonly now: () => Date
  readonly newId: () => string
  readonly enqueueRuns: (ids: readonly string[]) => Promise<void>
}

export function scanRoutes(router: Router, deps: ScanRouteDeps): void {
  mountRaw(router, startScan, async ({ params, identity, request }, response) => {
    const body = parseInput(startScan.body, await readJson(request, response, startScan.maxJsonBytes))
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    requireFilters(criterion, body.filters)
    if (body.dry_run) {
      response.json(startScan.reply.parse(await estimate(deps, { criterion, identity, body })))
      return
    }
    await requireLog(() => drawSample(deps.log, identity, { criterion, filters: {}, count: 1, seed: 0 }))
    const { run, headers } = await start(deps, { criterion, identity, body }, request)
    await deps.enqueueRuns([run.id])
    response.status(startScan.status).set(headers)
    response.json(startScan.reply.parse(await waitForScan(deps, request, run, createdNow(headers, run))))
  })
  mount(router, getScan, async ({ params, identity, request }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    const id = uuidOf('scan', params.scan_id)
    const run = id === null ? null : await deps.runs.get({ workspaceId: identity.workspaceId, id, kind: 'scan' })
    if (run === null || run.criterionId !== criterion.id) {
      throw notFound('scan', 'scan_id')
    }
    return waitForScan(deps, request, run)
  })
  mount(router, listLatestScans, async ({ identity: { workspaceId } }) => {
    const runs = await deps.latestScans(workspaceId)
    const data = await Promise.all(runs.map(async (run) => scanReply(run, await deps.judgements.progressOf(run.id))))
    return { object: 'list' as const, data }
  })
  mount(router, listVerdicts, async ({ params, query: { log_id: id, ...query }, identity }) => {
    const criterion = await requireCriterion(deps.criteria, identity, params.id)
    const logId = id === undefined ? undefined : uuidOf('log', id)
    if (logId === null) return pageReply([], 0, query)
    const { total, verdicts } = await deps.verdicts.list({ ...query, criterionId: criterion.id, logId })
    return pageReply(verdicts.map(verdictReply), total, query)
  })
}

function waitForScan({ runs, judgements }: ScanRouteDeps, request: Request, run: JudgeRun, created: Created = {}) {
  const read = async () => scanReply(await reread(runs, run), await judgements.progressOf(run.id))
  return waitAsPreferred(request, { read, isOver: isRunOver, ...created })
}

interface Created {
  readonly created?: Scan
}

/** Nothing for a repetition, which shows the run as it is. */
function createdNow(headers: StartedRun['headers'], run: JudgeRun): Created {
  return isReplay(headers) ? {} : { created: scanReply(run, noProgress) }
}

interface ScanOrder {
  readonly criterion: StoredCriterion
  readonly identity: Identity
  readonly body: StartScan
}

function start(deps: ScanRouteDeps, { criterion, identity, body }: ScanOrder, request: Request) {
  const requested = {
    request: { filters: body.filters, sampleCount: body.sample_count } satisfies ScanRequest,
    maxCostNano: typeof body.max_cost_usd === 'number' ? usdToNano(body.max_cost_usd) : null,
  }
  const about = { ...runOfCriterion(criterion), kind: 'scan' as const }
  return startRunOnce(deps, { ...about, request, requested }, (id) =>
    deps.runs.create({ ...about, ...requested, id, createdBy: identity.userId, createdAt: deps.now() }),
  )
}

/** Number of drawn items from whose tokens the cost is estimated. */
const maxEstimated = 200
const bytesPerToken = 4

async function estimate({ log, models }: ScanRouteDeps, { criterion, identity, body }: ScanOrder) {
  const { filters, sample_count: count } = body
  const model = await requireJudgePrices(models, { identity, judge: criterion })
  const order = { criterion, filters, count: Math.min(count, maxEstimated), seed: seedOf(criterion.id) }
  const { matched, items } = await requireLog(() => drawSample(log, identity, order))
  const rows = Math.min(count, matched)
  const tokens = items.reduce((sum, each) => sum + each.tokens, 0) / Math.max(1, items.length)
  const contentBytes = Math.ceil(tokens * rows) * bytesPerToken
  return {
    object: 'criterion.scan_estimate' as const,
    matched,
    sample_count: rows,
    estimated_cost_usd: estimateCostUsd({ rows, contentBytes, judgePrompt: criterion.judgePrompt, model }),
  }
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
    progress: { done: isOver ? total : progress.done + progress.deadLettered, total },
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
    trace_id: item.kind === 'run' ? item.traceId : null,
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
