import type { TrainerTool } from '@ratchet/contracts/trainer-tool'
import type { FitsSchema } from '@ratchet/judge-kit/checks/check-answer'
import { costOfReplies } from '@ratchet/judge-kit/fleet/call-judge'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { outcomeOfRefusal } from '@ratchet/judge-kit/fleet/outcome-of-refusal'
import type { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { inTurns } from '@ratchet/service-kit/timing/in-turns'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import type { ToolCalls } from '../../environment-tools/tool-calls.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { RunStore } from '../runs/run.ts'
import type { FrozenJudge } from '../runs/run-settings.ts'
import { concludeStep } from './conclude-step.ts'
import { gradeAnswers } from './grade-answers.ts'
import type { JudgedRollout, JudgedRun, JudgingStore, LeasedStep, NewVerdict } from './judged-step.ts'
import { judgingIdentity } from './judging-identity.ts'

export interface JudgeStepDeps {
  readonly store: JudgingStore
  readonly runs: Pick<RunStore, 'pause'>
  readonly judgeExchange: JudgeExchange
  readonly toolCalls: Pick<ToolCalls, 'offered' | 'grade'>
  readonly fitsSchema: FitsSchema
  readonly onFailure: (error: unknown) => void
}

/** Calls of judges at the same time, for one step. */
const concurrency = 8
const retryMs = 5_000

/**
 * Judges the answers of a step, then rewards them. A verdict is kept when it arrives, so whatever happens each judge is asked
 * once about each answer; a call that is repeated has the same key, and costs nothing.
 */
export async function judgeStep(deps: JudgeStepDeps, step: LeasedStep): Promise<void> {
  const { store, onFailure } = deps
  try {
    const [run, prompts, rollouts] = await Promise.all([store.run(step), store.prompts(step), store.rollouts(step)])
    const tools = run.settings.environment === null ? null : await deps.toolCalls.offered(step)
    const asked = await askAll(deps, { step, run, prompts, tools }, questionsOf(step, run, rollouts))
    switch (asked.kind) {
      case 'done':
        await conclude(deps, { step, run, prompts })
        return
      case 'over_cap':
        await store.conclude(step, { kind: 'over_cap' }, overCap(step, run))
        return
      case 'no_credit': {
        const message = 'The wallet does not cover the judges. Top it up, then resume the run.'
        await deps.runs.pause({ workspaceId: step.workspaceId, id: step.runId }, { reason: 'credit', message })
        await store.release(step, { delayMs: retryMs, hasFailed: false })
        return
      }
      case 'later':
        await store.release(step, { delayMs: asked.delayMs, hasFailed: asked.hasFailed })
    }
  } catch (error) {
    onFailure(error)
    await store.release(step, { delayMs: retryMs, hasFailed: true })
  }
}

/** Times that a step is tried while a tool of the reward cannot be reached, before its run is paused. */
const maxGradingTries = 5

async function conclude(deps: JudgeStepDeps, judged: Pick<AskedStep, 'step' | 'run' | 'prompts'>): Promise<void> {
  const { store, runs, toolCalls, fitsSchema } = deps
  const { step } = judged
  const rollouts = await gradeAnswers(toolCalls, { ...judged, rollouts: await store.rollouts(step) })
  if (rollouts === null) {
    const isLast = step.attempts >= maxGradingTries
    if (isLast) {
      const message = 'A tool of the reward does not answer. Mend what answers it, then resume the run.'
      await runs.pause({ workspaceId: step.workspaceId, id: step.runId }, { reason: 'tool_misses', message })
    }
    await store.release(step, { delayMs: retryMs, hasFailed: !isLast })
    return
  }
  const first = step.kind === 'look' && step.step > 0 ? await store.firstLook(step) : null
  const hasTools = step.kind === 'step' && judged.run.settings.environment !== null
  const called = hasTools ? await store.toolCalls(step) : null
  const earlier = step.kind === 'step' ? await store.earlier(step) : null
  const concluded = { ...judged, rollouts, first, earlier, toolCalls: called, fitsSchema }
  const { outcome, change } = await createSlicedWork().run(concludeStep(concluded))
  await store.conclude(step, outcome, change)
}

/** A run whose judges have no money left ends with its last step, or fails when it has none. */
function overCap({ kind, step }: LeasedStep, { lastTrained }: JudgedRun) {
  if (lastTrained === 0 || (kind === 'look' && step === 0)) {
    const message = '`maxCostUsd` does not cover the judges of the first step.'
    return { failure: { code: 'insufficient_balance', message } }
  }
  return { finish: { step: lastTrained, reason: 'max_cost' as const } }
}

interface Question {
  readonly rollout: JudgedRollout
  readonly judge: FrozenJudge
}

/** Judges that were not asked yet. Those that are held out judge looks alone. */
function questionsOf(
  { kind }: LeasedStep,
  { judges }: JudgedRun,
  rollouts: readonly JudgedRollout[],
): readonly Question[] {
  const asked = judges.filter(({ role }) => role === 'reward' || kind === 'look')
  return rollouts.flatMap((rollout) =>
    asked
      .filter(
        ({ role, criterionId }) =>
          !rollout.verdicts.some((each) => each.role === role && each.criterionId === criterionId),
      )
      .map((judge) => ({ rollout, judge })),
  )
}

interface AskedStep {
  readonly step: LeasedStep
  readonly run: JudgedRun
  readonly prompts: readonly GrpoPrompt[]
  /** Those of the environment; null: those of the prompts. */
  readonly tools: readonly TrainerTool[] | null
}

type Asked =
  | { readonly kind: 'done' | 'over_cap' | 'no_credit' }
  | { readonly kind: 'later'; readonly delayMs: number; readonly hasFailed: boolean }

async function askAll(deps: JudgeStepDeps, asked: AskedStep, questions: readonly Question[]): Promise<Asked> {
  const refused: Question[] = []
  const ended = await inTurns<Question, Asked>(questions, concurrency, async (question) => {
    const answer = await ask(deps, asked, question)
    if (answer !== 'over_cap') return answer
    refused.push(question)
    return null
  })
  if (ended !== null) return ended
  // The holds of other calls count against the cap: it is used up when a call alone is refused.
  for (const question of refused) {
    const answer = await ask(deps, asked, question)
    if (answer === 'over_cap') return { kind: 'over_cap' }
    if (answer !== null) return answer
  }
  return { kind: 'done' }
}

/** @returns null when there is a verdict */
async function ask(
  deps: JudgeStepDeps,
  asked: AskedStep,
  { rollout, judge }: Question,
): Promise<Asked | 'over_cap' | null> {
  const { step, run, prompts } = asked
  const { role, criterionId, judgeModel, prompt, checks = null, instrument } = judge
  const judgementId = deterministicId('grpo-judgement', rollout.id, role, criterionId, String(instrument))
  const { messages = [], tools: prompted = null } = prompts[rollout.group] ?? {}
  const tools = asked.tools ?? prompted
  const response = rollout.completion.at(-1) ?? { role: 'assistant' }
  const exchange = { messages: [...messages, ...rollout.completion.slice(0, -1)], response, tools, model: null }
  const { finding, replies } = await deps.judgeExchange({
    judgementId,
    criterion: prompt,
    checks,
    exchange,
    unit: 'request',
    judgeModel,
    identity: judgingIdentity(run),
    keyOf: (body) => deterministicId('grpo-call', judgementId, body),
  })
  const costNano = costOfReplies(replies)
  const given = { rolloutId: rollout.id, role, criterionId, judgeModel, instrument, costNano }
  const keep = (verdict: NewVerdict['verdict'], explanation: string | null) =>
    deps.store.addVerdict(step, { ...given, verdict, explanation })
  switch (finding.kind) {
    case 'chosen':
      await keep(finding.choice, storableText(finding.explanation, 2_000))
      return null
    case 'unparseable':
      await keep(null, 'The judge gave no readable verdict in two calls.')
      return null
    case 'too_large':
      await keep(null, 'The answer is too large for a judge.')
      return null
    case 'refused':
      return await afterRefusal(finding.refusal, (why) => keep(null, why))
  }
}

async function afterRefusal(
  refusal: FleetCallError,
  keepNone: (why: string) => Promise<void>,
): Promise<Asked | 'over_cap' | null> {
  if (refusal.code === 'insufficient_balance') return { kind: 'no_credit' }
  const outcome = outcomeOfRefusal(refusal)
  switch (outcome.kind) {
    case 'over_cap':
      return 'over_cap'
    case 'wait':
      return { kind: 'later', delayMs: outcome.delayMs, hasFailed: false }
    case 'unavailable':
    case 'retry':
      return { kind: 'later', delayMs: retryMs, hasFailed: true }
    default:
      await keepNone(storableText(refusal.message, 2_000))
      return null
  }
}
