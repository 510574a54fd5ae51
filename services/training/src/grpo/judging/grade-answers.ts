import { episodeName } from '@ratchet/contracts/trainer-tools'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { ToolCalls } from '../../environment-tools/tool-calls.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { ToolTerm } from '../runs/run-settings.ts'
import type { GradedAnswer, JudgedRollout, JudgedRun, LeasedStep } from './judged-step.ts'

export interface AnswersToGrade {
  readonly step: LeasedStep
  readonly run: JudgedRun
  /** By group. */
  readonly prompts: readonly GrpoPrompt[]
  readonly rollouts: readonly JudgedRollout[]
}

/** Tools that are asked at the same time, for one step. */
const concurrency = 8

/**
 * Asks the tools of the reward about every answer of a step. Each is asked once, over any number of restarts.
 *
 * @returns null while one of them cannot be reached
 */
export async function gradeAnswers(
  toolCalls: Pick<ToolCalls, 'grade'>,
  answers: AnswersToGrade,
): Promise<readonly GradedAnswer[] | null> {
  const { run, rollouts } = answers
  const { tools = [] } = run.settings.reward
  const graded = rollouts.map((rollout) => ({ ...rollout, grades: new Map<string, number | null>() }))
  const waiting = graded.flatMap((rollout) => tools.map((tool) => ({ rollout, tool })))
  let isReached = true
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && isReached; next = waiting.shift()) {
      const { rollout, tool } = next
      const value = await gradeOf(toolCalls, answers, next)
      if (value === 'later') isReached = false
      else rollout.grades.set(tool.name, value)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return isReached ? graded : null
}

interface Asked {
  readonly rollout: JudgedRollout
  readonly tool: ToolTerm
}

async function gradeOf(
  toolCalls: Pick<ToolCalls, 'grade'>,
  { step, run, prompts }: AnswersToGrade,
  { rollout, tool }: Asked,
): Promise<number | null | 'later'> {
  const { id, group, index, completion } = rollout
  const { messages = [], reference = null } = prompts[group] ?? {}
  try {
    return await toolCalls.grade(
      { workspaceId: run.workspaceId, runId: run.id },
      {
        callId: deterministicId('grpo-grade', id, tool.toolId),
        rolloutId: episodeName({ kind: step.kind, step: step.step, group, index }),
        step: step.step,
        seed: run.seed,
        toolId: tool.toolId,
        arguments: { messages, completion, reference },
      },
    )
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'service_unavailable') return 'later'
    throw error
  }
}
