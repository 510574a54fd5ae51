import type { WeighedArm, WeighedSplit } from '@ratchet/contracts/internal-split'
import type { PutAgentCanary } from '@ratchet/contracts/voice/canaries'
import type { AgentKey } from '../agents/agent.ts'

/** The last canary of an agent. */
export interface StoredCanary {
  readonly workspaceId: string
  /** UUID. */
  readonly agentId: string
  readonly settings: PutAgentCanary
  readonly targetVersion: number
  /** Counts the splits of the agent. */
  readonly epoch: number
  /** Who began it. */
  readonly userId: string
  readonly startedAt: Date
  /** Null until the first evaluation. */
  readonly finding: CanaryFinding | null
  readonly looks: number
  readonly lookedAt: Date | null
  /** When its gate ended it. */
  readonly decidedAt: Date | null
}

/** What the gate said last, with the counts by which it did. */
export interface CanaryFinding extends WeighedSplit {
  readonly arms: CanaryCounts
}

export interface ArmOfCalls extends WeighedArm {
  /** Calls that ended before ten seconds of talk. */
  readonly short: number
}

export interface CanaryCounts {
  readonly target: ArmOfCalls
  readonly canary: ArmOfCalls
}

/** Whether new calls are divided. */
export function isLive(canary: StoredCanary | null): canary is StoredCanary {
  return canary !== null && canary.decidedAt === null && canary.settings.percent > 0
}

export interface CanaryChange {
  readonly eventId: string
  readonly userId: string
  readonly at: Date
}

export interface CanaryStore {
  get(agent: AgentKey): Promise<StoredCanary | null>
  /** Begins a split. @returns false when the agent or a version does not exist any more */
  begin(
    agent: AgentKey,
    split: CanaryChange & { readonly settings: PutAgentCanary; readonly targetVersion: number },
  ): Promise<boolean>
  /** A person ends it. @returns false without one */
  end(agent: AgentKey, change: CanaryChange): Promise<boolean>
  counts(canary: StoredCanary): Promise<CanaryCounts>
  /** Takes live canaries whose gate is due. */
  take(limit: number, everyMs: number): Promise<readonly StoredCanary[]>
  saveLook(canary: StoredCanary, finding: CanaryFinding, at: Date): Promise<void>
  /** The gate ends the split; `promoted` publishes its version. @returns false when a person was faster */
  decide(
    canary: StoredCanary,
    decision: { readonly kind: 'promoted' | 'rolled_back'; readonly finding: CanaryFinding } & Omit<
      CanaryChange,
      'userId'
    >,
  ): Promise<boolean>
  /** Verdicts of another instrument do not count: a new split begins with the same settings. */
  restart(canary: StoredCanary, change: Omit<CanaryChange, 'userId'>): Promise<void>
  /** Scored calls whose grades were read longest ago. UUIDs, with the instrument that judged them. */
  gradable(
    canary: StoredCanary,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly instrument: number }[]>
  saveGrades(canary: StoredCanary, grades: readonly CallGrade[]): Promise<void>
}

/** What people said of a call, and how likely it was drawn for them. */
export interface CallGrade {
  readonly id: string
  readonly grade: 'pass' | 'fail' | null
  readonly probability: number | null
  readonly skipProbability: number | null
}
