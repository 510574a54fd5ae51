import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { VerdictReads } from '../judgements/pg-verdicts.ts'
import { planLogged, planRun } from '../judgements/plan-logged.ts'
import { unjudgedReason } from '../judgements/unjudged-reason.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import { randomlyOffered } from '../labels/randomly-offered.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import { seedOf } from '../runs/seed-of.ts'
import { type DrawnItem, drawSample, type SampleReads } from '../scans/draw-sample.ts'
import type { CascadeScanRequest } from './cascade.ts'
import { readMembers, whyVoid } from './cascade-members.ts'
import { type CascadeScanResult, type ScannedItem, scannedItems, summarizeCascadeScan } from './cascade-scan-result.ts'
import { type ProofDeps, readCurrentProof } from './current-proof.ts'
import type { CascadeStore } from './pg-cascades.ts'
import { planVerdicts } from './plan-verdicts.ts'

export interface CascadeScanDeps extends ProofDeps {
  readonly cascades: Pick<CascadeStore, 'get' | 'calibrationIds'>
  readonly judgements: Pick<JudgementStore, 'ofRun' | 'isOver'>
  readonly verdicts: Pick<VerdictReads, 'randomGrades'>
  readonly grades: Pick<GradeReader, 'unanswered'>
  readonly log: SampleReads
  readonly now: () => Date
}

/** Draws a sample, and has each judge of the cascade judge what the ones before it did not decide. */
export function createCascadeScanRunHandler(deps: CascadeScanDeps): RunHandler {
  return async (run) => {
    const { cascadeId: id } = run.request as CascadeScanRequest
    const cascade = await deps.cascades.get({ workspaceId: run.workspaceId, id })
    if (cascade === null) return { kind: 'failed', error: 'The cascade was deleted.' }
    const criteria = await readMembers(deps.criteria, cascade)
    if (criteria === null) return { kind: 'failed', error: 'A judge of the cascade was deleted.' }
    if (run.rowsTotal === null) {
      const proof = await readCurrentProof(deps, cascade)
      if (proof === null) return { kind: 'failed', error: 'The cascade has no calibration that proves its agreement.' }
      const { calibration, proven } = proof
      return begin(deps, { run, criteria }, { ...calibration, ...proven })
    }
    if (!(await deps.judgements.isOver(run.id))) return { kind: 'wait', rowsTotal: run.rowsTotal }
    return proceed(deps, { run, criteria })
  }
}

interface Step {
  readonly run: LeasedRun
  readonly criteria: readonly StoredCriterion[]
}

type Proof = Pick<CascadeScanResult, 'members' | 'thresholds' | 'accuracy' | 'answered'>

async function begin({ log, now }: CascadeScanDeps, step: Step, proof: Proof): ReturnType<RunHandler> {
  const { run, criteria } = step
  const { filters, sampleCount: count } = run.request as CascadeScanRequest
  const { members, thresholds, accuracy, answered } = proof
  const judge = nextJudge(thresholds, -1)
  const criterion = judge === null ? undefined : criteria[judge]
  if (judge === null || criterion === undefined) return { kind: 'failed', error: 'No judge of the cascade decides.' }
  try {
    const identity = workerIdentity(run.workspaceId, run.createdBy)
    const sample = await drawSample(log, identity, { criterion, filters, count, seed: seedOf(run.id) })
    const { matched, drawn } = sample
    const frozen = { members, thresholds, accuracy, ...(answered === undefined ? {} : { answered }) }
    const result: CascadeScanResult = { ...frozen, matched, drawn, judge, summary: null }
    const probability = Math.min(1, drawn / matched)
    const judgements = sample.items.flatMap((item) => {
      const planned = planDrawn(item, { run, criterion, probability, at: now() })
      return planVerdicts({ run, criterion, member: members[judge] ?? oneVerdict, itemKey: keyOf(item), item: planned })
    })
    return { kind: 'wait', rowsTotal: judgements.length, result, judgements }
  } catch (error) {
    if (error instanceof LoggingIsOff) return { kind: 'failed', error: 'Request logging was turned off.' }
    throw error
  }
}

const oneVerdict = { verdicts: 1 }

function keyOf({ item }: DrawnItem): string {
  return 'run' in item ? item.run.traceId : item.exchange.logId
}

interface DrawnPlan {
  readonly run: LeasedRun
  readonly criterion: StoredCriterion
  readonly probability: number
  readonly at: Date
}

function planDrawn({ item }: DrawnItem, { run, criterion, probability, at }: DrawnPlan): PlannedJudgement {
  const choices = {
    id: run.id,
    criterion,
    runId: run.id,
    source: 'cascade',
    samplingProbability: probability,
    createdAt: at,
  } as const
  return 'run' in item ? planRun({ ...choices, ...item }) : planLogged({ ...choices, isCanary: false, ...item })
}

/** Index of the next judge that takes part; null after the last one. */
function nextJudge(thresholds: CascadeScanResult['thresholds'], after: number): number | null {
  const next = thresholds.findIndex((minEqual, judge) => judge > after && minEqual !== null)
  return next === -1 ? null : next
}

async function proceed(deps: CascadeScanDeps, { run, criteria }: Step): ReturnType<RunHandler> {
  const state = run.result as CascadeScanResult
  const changed = whyVoid(state.members, criteria)
  if (changed !== null) return { kind: 'failed', error: changed, result: state }
  const done = await Array.fromAsync(deps.judgements.ofRun(run.id))
  const items = scannedItems(done, state)
  const judge = nextJudge(state.thresholds, state.judge)
  const open = items.filter(({ decision, isUnjudged }) => decision === null && !isUnjudged)
  const criterion = judge === null ? undefined : criteria[judge]
  if (judge !== null && criterion !== undefined && open.length > 0) {
    const judgements = open.flatMap((item) => planAgain(item, { run, criterion, member: state.members[judge] }))
    const rowsTotal = (run.rowsTotal ?? 0) + judgements.length
    return { kind: 'wait', rowsTotal, result: { ...state, judge }, judgements }
  }
  const last = criteria.at(-1)
  const key = { workspaceId: run.workspaceId, criterionId: last?.id ?? '', unit: last?.unit ?? 'request' }
  const itemIds = items.map(({ itemId }) => itemId)
  const randomGrades = await deps.verdicts.randomGrades(key, itemIds)
  const unanswered = last === undefined ? new Set<string>() : await readLeftOut(deps, last)
  const summary = summarizeCascadeScan(items, { ...state, randomGrades, unanswered })
  const result: CascadeScanResult = { ...state, summary }
  const error = unjudgedReason(done, Math.max(0, (run.rowsTotal ?? 0) - done.length))
  return error === null ? { kind: 'done', result } : { kind: 'failed', error, result }
}

async function readLeftOut({ grades, now }: CascadeScanDeps, last: StoredCriterion): Promise<ReadonlySet<string>> {
  return randomlyOffered(await grades.unanswered(last, now()))
}

interface NextPlan {
  readonly run: LeasedRun
  readonly criterion: StoredCriterion
  readonly member: CascadeScanResult['members'][number] | undefined
}

function planAgain({ itemId, judgements: [first] }: ScannedItem, { run, criterion, member }: NextPlan) {
  if (first === undefined) return []
  return planVerdicts({ run, criterion, member: member ?? oneVerdict, itemKey: itemId, item: first })
}
