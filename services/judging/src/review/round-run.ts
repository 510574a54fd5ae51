import type { Verdict } from '@ratchet/contracts/criteria'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import type { JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import { planLogged, planRun } from '../judgements/plan-logged.ts'
import { type FeedbackHintDeps, feedbackHint } from '../labels/feedback-hint.ts'
import { isContradicted, runItemId } from '../labels/grading-frame.ts'
import type { GradingFrameStore } from '../labels/pg-grading-frames.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { JudgeRun, LeasedRun } from '../runs/judge-run.ts'
import { criterionOfRun } from '../runs/run-of-criterion.ts'
import { seedOf } from '../runs/seed-of.ts'
import { type DrawnItem, drawSample, type SampleReads } from '../scans/draw-sample.ts'
import type { RoundItemSigns, SignedRound } from './pg-round-signs.ts'
import type { RoundRequest, RoundResult } from './round.ts'
import { riskThirds, roundStratum } from './round-strata.ts'

export interface RoundRunDeps extends FeedbackHintDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly judgements: Pick<JudgementStore, 'ofRun'>
  readonly frames: Pick<GradingFrameStore, 'newest' | 'add' | 'has'>
  readonly log: SampleReads & Pick<LogReader, 'feedback'>
  /** What tells something about errors of the judge and costs nothing, by item. */
  readonly readSigns: RoundItemSigns
  /** Called when the round can be graded, or has failed. */
  readonly onReady: (run: LeasedRun) => Promise<void>
  readonly now: () => Date
}

/** Draws the exchanges or runs of a round and buys the verdicts; when all are there, forms the strata and freezes the frame. */
export function createRoundRunHandler(deps: RoundRunDeps): RunHandler {
  return async (run) => {
    const judge = await criterionOfRun(deps.criteria, run)
    if (judge === null) return { kind: 'failed', error: 'The judge was deleted.' }
    const { challengerId } = run.request as RoundRequest
    const challenger = await challengerOf(deps, run, challengerId)
    if (challengerId !== null && challenger === null) return { kind: 'failed', error: 'The challenger was deleted.' }
    if (run.rowsTotal === null) return plan(deps, run, challenger === null ? [judge] : [judge, challenger])
    const step = await freeze(deps, run, { unit: judge.unit, hasChallenger: challenger !== null })
    await deps.onReady(run)
    return step
  }
}

async function challengerOf({ criteria }: RoundRunDeps, { workspaceId }: LeasedRun, id: string | null) {
  return id === null ? null : criteria.get({ workspaceId, id })
}

async function plan(
  { log, now }: RoundRunDeps,
  run: LeasedRun,
  judges: readonly StoredCriterion[],
): ReturnType<RunHandler> {
  const { filters, frameRows } = run.request as RoundRequest
  const [judge] = judges
  if (judge === undefined) throw new Error('a round has a judge')
  try {
    const order = { criterion: judge, filters, count: frameRows, seed: seedOf(run.id) }
    const { matched, drawn, items } = await drawSample(log, workerIdentity(run.workspaceId, run.createdBy), order)
    if (items.length === 0) return { kind: 'failed', error: `No ${nounOf[judge.unit]} of the population matches.` }
    const samplingProbability = Math.min(1, items.length / Math.max(1, matched))
    const choices = { runId: run.id, source: 'scan', samplingProbability, createdAt: now() } as const
    const judgements = judges.flatMap((criterion) => items.map(({ item }) => planItem(item, { ...choices, criterion })))
    const result: PlannedResult = { matched, left: drawn - items.length }
    return { kind: 'wait', rowsTotal: judgements.length, result, judgements }
  } catch (error) {
    if (error instanceof LoggingIsOff) return { kind: 'failed', error: 'Request logging was turned off.' }
    throw error
  }
}

const nounOf = { request: 'exchange', trace: 'completed run' } as const

/** What is known when the verdicts are planned. */
interface PlannedResult extends Pick<RoundResult, 'matched'> {
  /** Items that were drawn, but were deleted meanwhile or are too long to be judged. */
  readonly left: number
}

type Plan = Omit<Parameters<typeof planRun>[0], 'id' | 'run'>

function planItem(item: DrawnItem['item'], plan: Plan): PlannedJudgement {
  const idOf = (name: string) => deterministicId('round', plan.runId ?? '', plan.criterion.id, name)
  return 'run' in item
    ? planRun({ ...plan, ...item, id: idOf(item.run.traceId) })
    : planLogged({ ...plan, ...item, id: idOf(item.exchange.logId), isCanary: false })
}

interface FreezeChoices {
  readonly unit: StoredCriterion['unit']
  readonly hasChallenger: boolean
}

async function freeze(
  deps: RoundRunDeps,
  run: LeasedRun,
  { unit, hasChallenger }: FreezeChoices,
): ReturnType<RunHandler> {
  const { workspaceId, criterionId, instrument, id } = run
  if (criterionId === null) throw new Error('a round has a judge')
  const { verdicts, challenged, traceIds, overCap, unjudged } = await readVerdicts(deps, run, criterionId)
  if (overCap > 0) {
    const error = `${overCap} verdicts were not bought, because they would cost more than the maximum of the round. Open a smaller round, or one with a higher maximum.`
    return { kind: 'failed', error }
  }
  if (verdicts.size === 0) return { kind: 'failed', error: 'The judge gave no verdict.' }
  const risks = hasChallenger ? new Map() : await readRisks(deps, { ...run, unit }, { verdicts, traceIds })
  const items = [...verdicts].map(([logId, verdict]) => ({
    logId,
    traceId: traceIds.get(logId) ?? null,
    stratum: roundStratum(
      { verdict, challenger: challenged.get(logId) ?? null, risk: risks.get(logId) ?? 0 },
      hasChallenger,
    ),
  }))
  const { matched, left = 0 } = run.result as Partial<PlannedResult> & Pick<PlannedResult, 'matched'>
  const result: RoundResult = { matched, frameRows: items.length, unjudged: unjudged + left }
  // A retry after a crash finds the frame.
  if (await deps.frames.has({ workspaceId, frameId: id })) return { kind: 'done', result }
  const search = { workspaceId, criterionId, instrument, kind: 'round' as const }
  const ordinal = (await deps.frames.newest(search)).ordinal + 1
  if (!(await deps.frames.add({ ...search, id, ordinal, createdAt: deps.now(), items }))) {
    throw new Error('another round of the judge was frozen at the same time')
  }
  return { kind: 'done', result }
}

/** By item: a log UUID, or the id that `runItemId` derives. */
interface JudgedItems {
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly traceIds: ReadonlyMap<string, string>
}

/** Thirds of the items with the same verdict, by item. */
async function readRisks(
  deps: RoundRunDeps,
  round: SignedRound & Pick<JudgeRun, 'createdBy'>,
  { verdicts, traceIds }: JudgedItems,
) {
  const logIds = [...verdicts.keys()]
  const identity = workerIdentity(round.workspaceId, round.createdBy)
  const items = round.unit === 'trace' ? { traceIds: [...traceIds.values()] } : { logIds }
  const [signs, feedback] = await Promise.all([deps.readSigns(round, logIds), feedbackHint(deps, identity, items)])
  const known = [...verdicts].map(([logId, verdict], index) => {
    const stored = signs[index] ?? { otherVerdicts: [], tokens: 0 }
    const said = feedback.get(traceIds.get(logId) ?? logId)
    return { logId, signs: { ...stored, isContradicted: isContradicted(verdict, said) } }
  })
  const groups = Map.groupBy(known, ({ logId }) => verdicts.get(logId)).values()
  return new Map(
    [...groups].flatMap((group) => {
      const thirds = riskThirds(group.map((each) => each.signs))
      return group.map(({ logId }, index) => [logId, thirds[index] ?? 0] as const)
    }),
  )
}

/** Verdicts by item: the UUID of a log entry, or the id that `runItemId` derives. */
async function readVerdicts({ judgements }: RoundRunDeps, run: LeasedRun, criterionId: string) {
  const verdicts = new Map<string, Verdict>()
  const challenged = new Map<string, Verdict>()
  const traceIds = new Map<string, string>()
  let overCap = 0
  let unjudged = 0
  for await (const judgement of judgements.ofRun(run.id)) {
    const { item, verdict, failure } = judgement
    if (failure === 'over_cap') overCap += 1
    if (item.kind !== 'log' && item.kind !== 'run') continue
    const itemId = item.kind === 'log' ? item.logId : runItemId(run.workspaceId, item.traceId)
    if (item.kind === 'run') traceIds.set(itemId, item.traceId)
    const isOfJudge: boolean = judgement.criterionId === criterionId
    if (verdict !== null) (isOfJudge ? verdicts : challenged).set(itemId, verdict)
    else if (isOfJudge) unjudged += 1
  }
  return { verdicts, challenged, traceIds, overCap, unjudged }
}
