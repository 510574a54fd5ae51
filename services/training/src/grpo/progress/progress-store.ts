import type { AuditedAnswer, GradeStore } from '../../audits/audited-answer.ts'
import type { LookFigures, StepFigures } from '../judging/judged-step.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { FrozenJudge } from '../runs/run-settings.ts'

export interface RunOf {
  readonly workspaceId: string
  /** UUID of the run. */
  readonly runId: string
}

export interface ShownStep {
  readonly step: number
  readonly at: Date
  readonly state: 'rewarded' | 'trained' | 'durable'
  readonly replayed: boolean
  readonly figures: StepFigures
  readonly stats: Readonly<Record<string, number | null>> | null
  readonly sampledTokens: number
  readonly trainedTokens: number | null
  readonly judgeCostNano: bigint
}

export interface ShownLook {
  readonly step: number
  readonly at: Date
  readonly figures: Omit<LookFigures, 'prompts'>
  /** Grades of people of its answers. */
  readonly graded: number
  readonly falsePass: number
}

export interface ShownRollout {
  readonly id: string
  readonly kind: 'step' | 'look'
  readonly step: number
  readonly group: number
  readonly promptIndex: number
  readonly prompt: GrpoPrompt
  readonly completion: GrpoPrompt['messages']
  readonly reward: number | null
  readonly terms: Readonly<Record<string, number | null>>
  readonly verdicts: readonly {
    readonly role: FrozenJudge['role']
    readonly criterionId: string
    readonly judgeModel: string
    readonly verdict: 'pass' | 'fail' | null
    readonly explanation: string | null
  }[]
  readonly advantage: number | null
  readonly tokens: number
  readonly truncated: boolean
  readonly adapterVersion: number
  readonly replayed: boolean
}

export interface RolloutQuery {
  readonly kind: 'step' | 'look'
  readonly step: number | null
  readonly sort: 'step' | 'reward' | '-reward' | 'disagreement'
  readonly limit: number
  readonly offset: number
}

/** What the API shows of runs. */
export interface RunProgress extends GradeStore {
  /** Ascending, from this step; of more than the limit those with the lowest and highest mean reward of each stretch. */
  steps(run: RunOf, range: { readonly fromStep: number; readonly limit: number }): Promise<readonly ShownStep[]>
  rollouts(
    run: RunOf,
    query: RolloutQuery,
  ): Promise<{ readonly rollouts: readonly ShownRollout[]; readonly total: number }>
  /** Looks that are judged, ascending. */
  looks(run: RunOf): Promise<readonly ShownLook[]>
  /** The answers of a look that the reward likes best, one per prompt. */
  audit(
    run: RunOf,
    of: { readonly step: number; readonly limit: number; readonly grader: string },
  ): Promise<readonly AuditedAnswer[]>
}
