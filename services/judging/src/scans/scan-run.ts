import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import { type JudgementStore, loggedIdOf, type PlannedJudgement } from '../judgements/judgement.ts'
import type { VerdictReads } from '../judgements/pg-verdicts.ts'
import { planLogged, planRun } from '../judgements/plan-logged.ts'
import { unjudgedReason } from '../judgements/unjudged-reason.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import { randomlyOffered } from '../labels/randomly-offered.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import { criterionOfRun } from '../runs/run-of-criterion.ts'
import { seedOf } from '../runs/seed-of.ts'
import { type DrawnSample, drawSample, type SampleReads } from './draw-sample.ts'
import { type ScanRequest, type ScanResult, summarizeScan } from './scan-result.ts'

export interface ScanRunDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly judgements: Pick<JudgementStore, 'ofRun'>
  readonly verdicts: Pick<VerdictReads, 'accuracyOf' | 'randomGrades'>
  readonly grades: Pick<GradeReader, 'unanswered'>
  readonly log: SampleReads
  readonly now: () => Date
}

/** Draws and plans the sample, then summarizes the verdicts. */
export function createScanRunHandler(deps: ScanRunDeps): RunHandler {
  return async (run) => {
    const criterion = await criterionOfRun(deps.criteria, run)
    if (criterion === null) return { kind: 'failed', error: 'The criterion was deleted.' }
    if (criterion.instrument !== run.instrument) return { kind: 'failed', error: 'The judge changed during the scan.' }
    return run.rowsTotal === null ? planSample(deps, run, criterion) : sumUp(deps, run, criterion)
  }
}

async function planSample(
  { log, now }: ScanRunDeps,
  run: LeasedRun,
  criterion: StoredCriterion,
): ReturnType<RunHandler> {
  const { filters, sampleCount } = run.request as ScanRequest
  const order = { criterion, filters, count: sampleCount, seed: seedOf(run.id) }
  try {
    const sample = await drawSample(log, workerIdentity(run.workspaceId, run.createdBy), order)
    const judgements = planScan({ run, criterion, sample, at: now() })
    return { kind: 'wait', rowsTotal: sample.drawn, result: { matched: sample.matched }, judgements }
  } catch (error) {
    if (error instanceof LoggingIsOff) return { kind: 'failed', error: 'Request logging was turned off.' }
    throw error
  }
}

interface ScanPlan {
  readonly run: LeasedRun
  readonly criterion: StoredCriterion
  readonly sample: DrawnSample
  readonly at: Date
}

function planScan({ run, criterion, sample, at }: ScanPlan): PlannedJudgement[] {
  const choices = {
    criterion,
    runId: run.id,
    source: 'scan',
    samplingProbability: Math.min(1, sample.drawn / sample.matched),
    createdAt: at,
  } as const
  return sample.items.map(({ item }) =>
    'run' in item
      ? planRun({ ...choices, id: deterministicId('scan', run.id, item.run.traceId), ...item })
      : planLogged({ ...choices, id: deterministicId('scan', run.id, item.exchange.logId), isCanary: false, ...item }),
  )
}

async function sumUp(deps: ScanRunDeps, run: LeasedRun, criterion: StoredCriterion): ReturnType<RunHandler> {
  const judgements = await Array.fromAsync(deps.judgements.ofRun(run.id))
  const key = { workspaceId: run.workspaceId, criterionId: criterion.id, unit: criterion.unit }
  const itemIds = judgements.flatMap(({ item }) => loggedIdOf(item) ?? [])
  const { matched } = run.result as Pick<ScanResult, 'matched'>
  const result = summarizeScan(judgements, {
    matched,
    randomGrades: await deps.verdicts.randomGrades(key, itemIds),
    unanswered: randomlyOffered(await deps.grades.unanswered(criterion, deps.now())),
    accuracy: await deps.verdicts.accuracyOf(criterion.id),
  })
  const lost = Math.max(0, (run.rowsTotal ?? 0) - judgements.length)
  const whole = { ...result, unjudged: result.unjudged + lost }
  const error = unjudgedReason(judgements, lost)
  return error === null ? { kind: 'done', result: whole } : { kind: 'failed', error, result: whole }
}
