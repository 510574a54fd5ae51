import {
  type GrpoGroup,
  type GrpoRollout,
  type GrpoStepState,
  type grpoCalls,
  lookSamples,
} from '@ratchet/contracts/grpo-protocol'
import type { Identity } from '@ratchet/contracts/identity'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { invalidRequest } from '@ratchet/service-kit/http/service-error'
import type { z } from 'zod'
import type { AttemptId } from '../../attempts/job-token.ts'
import { superseded } from '../../attempts/trainer-refusal.ts'
import { type ToolCalls, toolTrouble } from '../../environment-tools/tool-calls.ts'
import { isStillProven, type JudgeDirectory } from '../rewards/judge-directory.ts'
import type { RunStore } from '../runs/run.ts'
import { hasLook } from '../runs/run-settings.ts'
import { finishReasonAfter, isMismatched } from './after-step.ts'
import { nextPlaces } from './next-places.ts'
import type { AttemptRun, StepKind, StepStore, StoredStep } from './step.ts'

export interface StepDeps {
  readonly steps: StepStore
  readonly runs: Pick<RunStore, 'pause'>
  readonly judges: JudgeDirectory
  readonly toolCalls: Pick<ToolCalls, 'offered' | 'counts'>
  readonly newId: () => string
}

type Trained = z.output<(typeof grpoCalls)['trained']['body']>

/** @throws TrainerRefusal when the attempt has ended */
async function runOf({ steps }: StepDeps, id: AttemptId): Promise<AttemptRun> {
  const run = await steps.run(id)
  if (run === null) throw superseded()
  return run
}

/** What is to be done at a step. The first call for a step creates it, when the one before and its look are judged. */
export async function stepState(deps: StepDeps, id: AttemptId, step: number): Promise<GrpoStepState> {
  const run = await runOf(deps, id)
  const empty = { step, groups: [], rollouts: [], replayed: false }
  if (run.finishStep !== null && step > run.finishStep) return { ...empty, state: 'finish' }
  if (step < 1 || step > run.settings.hyperparameters.max_steps) throw unknownStep()
  const found = await deps.steps.find(run, 'step', step)
  if (found === null && step !== run.lastTrained + 1) throw unknownStep()
  if (run.asked !== null) return { ...empty, state: 'stop' }
  if (found !== null) return await described(deps, run, found)
  if (!(await isLookJudged(deps, run, step - 1))) return { ...empty, state: 'wait' }
  if (!(await doToolsAnswer(deps, run)) || !(await areJudgesProven(deps, run))) return { ...empty, state: 'stop' }
  const { prompts_per_step: count, group_size: samples } = run.settings.hyperparameters
  await deps.steps.create(run, { id: deps.newId(), kind: 'step', step, groups: nextPlaces(run, count), samples })
  const created = await deps.steps.find(run, 'step', step)
  if (created === null) throw superseded()
  return await described(deps, run, created)
}

/** What is to be sampled of a look; `judging` when there is nothing. */
export async function lookState(deps: StepDeps, id: AttemptId, step: number): Promise<GrpoStepState> {
  const run = await runOf(deps, id)
  const found = await deps.steps.find(run, 'look', step)
  if (found !== null) return await described(deps, run, found)
  return { step, state: 'judging', groups: [], rollouts: [], replayed: false }
}

async function described(deps: StepDeps, run: AttemptRun, stored: StoredStep): Promise<GrpoStepState> {
  const prompts = await deps.steps.prompts(run, stored.kind, stored.groups)
  const offered = await offeredTools(deps, run)
  const groups = prompts.map(
    ({ messages, tools }, group): GrpoGroup => ({
      group,
      prompt_index: stored.groups[group] ?? 0,
      messages: [...messages],
      tools: offered ?? (tools === null ? null : [...tools]),
      samples: stored.samples,
    }),
  )
  const isJudged = stored.state === 'rewarded' || stored.state === 'trained'
  return {
    step: stored.step,
    state: stored.state === 'sampling' ? 'sample' : isJudged && stored.kind === 'step' ? 'rewarded' : 'judging',
    groups,
    rollouts: [...(await deps.steps.rollouts(run, stored))],
    replayed: stored.state === 'trained',
  }
}

/** Null without an environment. */
export async function offeredTools({ toolCalls }: Pick<StepDeps, 'toolCalls'>, run: AttemptRun) {
  if (run.settings.environment === null) return null
  return [...(await toolCalls.offered({ workspaceId: run.workspaceId, runId: run.jobId }))]
}

async function isLookJudged({ steps }: StepDeps, run: AttemptRun, step: number): Promise<boolean> {
  const look = await steps.find(run, 'look', step)
  return look === null || look.state === 'rewarded'
}

/** A run whose tools fail teaches the model to live without them, or rewards it at random. */
async function doToolsAnswer({ toolCalls, runs }: StepDeps, run: AttemptRun): Promise<boolean> {
  const { environment, reward } = run.settings
  if (environment === null && (reward.tools ?? []).length === 0) return true
  const key = { workspaceId: run.workspaceId, id: run.jobId }
  const counts = await toolCalls.counts({ workspaceId: run.workspaceId, runId: run.jobId }, run.countsFrom)
  const trouble = toolTrouble(counts)
  if (trouble === null) return true
  const { calls, failures, recordedCalls, recordedHits } = counts
  const message = `Of ${calls} calls of tools ${failures} failed, and ${recordedHits} of ${recordedCalls} had a recording. Mend what answers them, then resume the run.`
  await runs.pause(key, { reason: trouble, message })
  return false
}

/** A judge that has lost its proof rewards no further step. */
async function areJudgesProven({ judges, runs }: StepDeps, run: AttemptRun): Promise<boolean> {
  const identity: Identity = workerIdentity(run.workspaceId, run.createdBy)
  for (const judge of run.judges) {
    if (judge.role === 'holdout' && run.settings.holdout.criterionId === null) continue
    if (isStillProven(judge, await judges.find(identity, judge.criterionId))) continue
    const message = 'A judge of the run is not proven any more, or was changed. Calibrate it, then resume the run.'
    await runs.pause({ workspaceId: run.workspaceId, id: run.jobId }, { reason: 'criterion_trust_lost', message })
    return false
  }
  return true
}

/** @throws TrainerRefusal or ServiceError */
export async function addRollouts(
  deps: StepDeps,
  id: AttemptId,
  {
    kind,
    step,
    rollouts,
  }: { readonly kind: StepKind; readonly step: number; readonly rollouts: readonly GrpoRollout[] },
) {
  const run = await runOf(deps, id)
  const found = await deps.steps.find(run, kind, step)
  if (found === null) throw unknownStep()
  for (const [index, rollout] of rollouts.entries()) requireFit(run, found, rollout, `rollouts.${index}`)
  const rows = rollouts.map((rollout) => ({ ...rollout, id: deps.newId() }))
  const stored = await deps.steps.addRollouts(run, found, rows)
  if (stored === null) throw superseded()
  return { stored, missing: Math.max(0, found.groups.length * found.samples - stored) }
}

/** Of the JSON of an answer, with all that its tools said. */
const maxCompletionLength = 4_000_000

function requireFit(run: AttemptRun, found: StoredStep, rollout: GrpoRollout, param: string): void {
  const { groups, samples, kind, step } = found
  const { max_output_tokens: maxTokens } = run.settings.hyperparameters
  if (rollout.group >= groups.length) throw invalidRequest(`${param}.group`, `\`${param}.group\` is none of the step.`)
  if (rollout.index >= samples) throw invalidRequest(`${param}.index`, `\`${param}.index\` must be below ${samples}.`)
  if (rollout.completion.at(-1)?.role !== 'assistant') {
    throw invalidRequest(`${param}.completion`, `\`${param}.completion\` must end with a message of the assistant.`)
  }
  if (JSON.stringify(rollout.completion).length > maxCompletionLength) {
    throw invalidRequest(
      `${param}.completion`,
      `\`${param}.completion\` has more than ${maxCompletionLength} characters.`,
    )
  }
  // What was sampled is charged.
  if (rollout.sampled_tokens > maxTokens) {
    const at = `${param}.sampled_tokens`
    throw invalidRequest(at, `\`${at}\` must be at most ${maxTokens}, which an answer of the run may have.`)
  }
  const { token_ids: ids, logprobs, token_mask: mask } = rollout
  if (logprobs.length !== ids.length || (mask !== null && mask.length !== ids.length)) {
    throw invalidRequest(`${param}.logprobs`, `\`${param}\` has not as many logprobs as tokens.`)
  }
  if (rollout.adapter_version > (kind === 'look' ? step : step - 1)) {
    throw invalidRequest(`${param}.adapter_version`, `\`${param}.adapter_version\` is of a later step.`)
  }
}

export async function stepRewards(deps: StepDeps, id: AttemptId, step: number) {
  const run = await runOf(deps, id)
  if (run.finishStep !== null && step > run.finishStep) return { step, state: 'finish' as const, rewards: [] }
  const found = await deps.steps.find(run, 'step', step)
  if (found === null) throw unknownStep()
  if (found.state === 'sampling' || found.state === 'judging') {
    if (run.asked !== null) return { step, state: 'stop' as const, rewards: [] }
    return { step, state: found.state === 'sampling' ? ('sample' as const) : ('judging' as const), rewards: [] }
  }
  return { step, state: 'rewarded' as const, rewards: [...(await deps.steps.rewards(run, found))] }
}

/** Notes that a step was trained, and says what follows. A repetition, also by a later attempt, is answered alike. */
export async function stepTrained(deps: StepDeps, id: AttemptId, step: number, { trained_tokens, stats }: Trained) {
  const run = await runOf(deps, id)
  const found = await deps.steps.find(run, 'step', step)
  if (found === null || found.state === 'sampling' || found.state === 'judging') throw unknownStep()
  const isFirst = await deps.steps.setTrained(run, found, { trainedTokens: trained_tokens, stats })
  const finishStep = isFirst ? await decideAfter(deps, run, step) : run.finishStep
  const finish = step === run.settings.hyperparameters.max_steps || step === finishStep
  const look = finish || hasLook(run.settings, step)
  if (look) await createLook(deps, run, step)
  const save = look || step % run.settings.checkpointEverySteps === 0
  return { step, save, look, finish }
}

async function createLook({ steps, newId }: StepDeps, run: AttemptRun, step: number): Promise<void> {
  const groups = Array.from({ length: run.settings.prompts.guard }, (_, place) => place)
  await steps.create(run, { id: newId(), kind: 'look', step, groups, samples: lookSamples })
}

/** @returns the step that is the last one, when that is decided */
async function decideAfter({ steps, runs }: StepDeps, run: AttemptRun, step: number): Promise<number | null> {
  const { steps: trained, money } = await steps.history(run)
  const reason = finishReasonAfter(run.settings, trained, money)
  if (reason !== null) {
    await steps.setFinish(run, { step, reason })
    return run.finishStep ?? step
  }
  if (isMismatched(trained)) {
    const message =
      'The engine that samples answers does not have the policy that is trained: its adapter did not advance, or its logprobs differ.'
    await runs.pause({ workspaceId: run.workspaceId, id: run.jobId }, { reason: 'policy_mismatch', message })
  }
  return run.finishStep
}

function unknownStep() {
  return invalidRequest(
    'step',
    'This step cannot be read or written now. Begin with the one after the last durable checkpoint.',
  )
}
