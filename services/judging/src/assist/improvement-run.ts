import type { SlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { WeighedItem } from '../calibration/graded-items.ts'
import { planGraded } from '../calibration/plan-graded.ts'
import { selectItemsInSteps } from '../calibration/select-items.ts'
import type { CriterionStore, StoredCriterion } from '../criteria/criterion.ts'
import type { DoneJudgement, JudgementStore } from '../judgements/judgement.ts'
import { unjudgedReason } from '../judgements/unjudged-reason.ts'
import type { GradeReader } from '../labels/pg-grades.ts'
import type { SnapshotReader } from '../labels/pg-snapshots.ts'
import type { RunHandler } from '../runs/advance-run.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import { criterionOfRun } from '../runs/run-of-criterion.ts'
import { type Assistant, AssistantRefused } from './assistant.ts'
import { everyGrade } from './every-grade.ts'
import {
  beginning,
  bestOf,
  type ImprovementRequest,
  type ImprovementState,
  type Mistake,
  maxMistakes,
  promptMetrics,
  readRewritten,
  rewriteQuestion,
  scoreOf,
} from './improvement.ts'
import { type ItemSplit, splitItems } from './split-items.ts'

export interface ImprovementRunDeps {
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly grades: Pick<GradeReader, 'inForce'>
  /** Shared by all runs. */
  readonly slicedWork: SlicedWork
  readonly judgements: Pick<JudgementStore, 'ofRun'>
  readonly snapshots: SnapshotReader
  readonly assistant: Assistant
}

interface Step {
  readonly run: LeasedRun
  readonly criterion: StoredCriterion
  readonly state: ImprovementState
  readonly split: ItemSplit<WeighedItem>
  readonly done: readonly DoneJudgement[]
}

/**
 * Measures the present prompt on the training half, has a model rewrite it from its errors and measures again, up to the
 * requested number of iterations; then measures the best prompt and the present one on the other half.
 */
export function createImprovementRunHandler(deps: ImprovementRunDeps): RunHandler {
  return async (run) => {
    const criterion = await criterionOfRun(deps.criteria, run)
    if (criterion === null) return { kind: 'failed', error: 'The judge was deleted.' }
    if (criterion.instrument !== run.instrument)
      return { kind: 'failed', error: 'The judge changed during the improvement.' }
    const grades = await deps.grades.inForce(criterion, run.createdAt)
    const { items } = await deps.slicedWork.run(selectItemsInSteps(grades, everyGrade))
    const split = splitItems(items)
    const state = (run.result as ImprovementState | null) ?? beginning
    if (run.rowsTotal === null) return judgeWith({ run, criterion, state, split, done: [] }, [null], split.train)
    const done = await Array.fromAsync(deps.judgements.ofRun(run.id))
    if (done.some(({ failure }) => failure === 'over_cap')) {
      return { kind: 'failed', error: 'The improvement reached max_cost_usd before it was done.' }
    }
    const unjudged = unjudgedReason(done, run.rowsTotal - done.length)
    if (unjudged !== null) return { kind: 'failed', error: unjudged }
    const step = { run, criterion, state, split, done }
    return state.phase === 'train' ? afterTraining(deps, step) : afterHoldout(step)
  }
}

async function afterTraining(deps: ImprovementRunDeps, step: Step): ReturnType<RunHandler> {
  const { run, criterion, split, done } = step
  const train = promptMetrics(judgedWith(done, step.state.candidate, split.train))
  const tried = [...step.state.tried, { prompt: step.state.candidate ?? criterion.judgePrompt, train }]
  const state = { ...step.state, tried, best: bestOf(tried) }
  const { maxIterations } = run.request as ImprovementRequest
  if (tried.length > maxIterations) return toHoldout({ ...step, state })
  try {
    const rewritten = await rewrite(deps, { ...step, state })
    if (rewritten.prompt === null) return toHoldout({ ...step, state: rewritten.state })
    const next = { ...rewritten.state, candidate: rewritten.prompt }
    return judgeWith({ ...step, state: next }, [rewritten.prompt], split.train)
  } catch (error) {
    if (error instanceof AssistantRefused) return { kind: 'failed', error: error.message }
    throw error
  }
}

/** A prompt that may be better than the best so far; null without errors to correct, or when the model repeats a prompt. */
async function rewrite({ assistant, snapshots }: ImprovementRunDeps, { run, criterion, state, split, done }: Step) {
  const best = state.tried[state.best]?.prompt ?? criterion.judgePrompt
  const wrong = judgedWith(done, best === criterion.judgePrompt ? null : best, split.train)
    .filter(({ human, verdict }) => verdict !== null && human !== verdict)
    .slice(0, maxMistakes)
  if (wrong.length === 0) return { prompt: null, state: { ...state, reason: 'no_mistakes' as const } }
  const mistakes: Mistake[] = []
  for (const { item, human, explanation } of wrong) {
    const exchange = item.kind === 'snapshot' ? await snapshots.get(run.workspaceId, item.snapshotId) : null
    if (exchange !== null && human !== null) mistakes.push({ exchange, human, explanation })
  }
  const key = deterministicId('improvement', run.id, String(state.tried.length))
  const { value, costNano } = await assistant.ask({
    ...rewriteQuestion(best, mistakes, key.replaceAll('-', '')),
    workspaceId: run.workspaceId,
    requestedBy: run.createdBy,
    model: (run.request as ImprovementRequest).model,
    key,
    spendCap: capOf(run),
  })
  const prompt = readRewritten(value)
  const isNew = prompt !== null && state.tried.every((each) => each.prompt !== prompt)
  const assistCostNano = String(BigInt(state.assistCostNano) + costNano)
  const known = { ...state, assistCostNano }
  return isNew ? { prompt, state: known } : { prompt: null, state: { ...known, reason: 'no_new_prompt' as const } }
}

function toHoldout(step: Step): Awaited<ReturnType<RunHandler>> {
  const { state, criterion, split } = step
  const best = state.tried[state.best]?.prompt ?? criterion.judgePrompt
  if (best === criterion.judgePrompt) {
    const { reason = 'not_better_in_training' } = state
    return { kind: 'done', result: { ...state, phase: 'done', reason } }
  }
  const next = { ...state, phase: 'holdout' as const, candidate: best }
  return judgeWith({ ...step, state: next }, [null, best], split.holdout)
}

/** A prompt is proposed only if it is better on grades that it was not tuned on. */
function afterHoldout({ state, split, done }: Step): Awaited<ReturnType<RunHandler>> {
  const holdout = promptMetrics(judgedWith(done, state.candidate, split.holdout))
  const currentHoldout = promptMetrics(judgedWith(done, null, split.holdout))
  const isBetter = scoreOf(holdout) > scoreOf(currentHoldout)
  const measured = { ...state, phase: 'done' as const, holdout, currentHoldout }
  if (isBetter) return { kind: 'done', result: measured }
  return { kind: 'done', result: { ...measured, best: 0, reason: 'not_better_on_holdout' } satisfies ImprovementState }
}

function judgeWith(
  { run, criterion, state, done }: Step,
  prompts: readonly (string | null)[],
  items: readonly WeighedItem[],
): Awaited<ReturnType<RunHandler>> {
  const judgements = prompts.flatMap((prompt) =>
    items.map((item) =>
      planGraded({
        id: deterministicId(run.id, item.itemKey, prompt ?? ''),
        criterion,
        source: 'improvement',
        judgePrompt: prompt,
        run,
        item,
      }),
    ),
  )
  return { kind: 'wait', rowsTotal: done.length + judgements.length, result: state, judgements }
}

/** Judgements of these items with a prompt; null is the present one. */
function judgedWith(done: readonly DoneJudgement[], prompt: string | null, items: readonly WeighedItem[]) {
  const labels = new Set(items.map(({ labelId }) => labelId))
  return done.filter(({ judgePrompt, labelId }) => judgePrompt === prompt && labelId !== null && labels.has(labelId))
}

function capOf({ id, maxCostNano, createdAt }: LeasedRun) {
  return maxCostNano === null ? null : { id, capNano: maxCostNano, windowStart: createdAt, windowEnd: null }
}
