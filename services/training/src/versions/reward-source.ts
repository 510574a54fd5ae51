import type { GuardVerdict } from '@ratchet/contracts/grpo'
import type { RewardAudit } from '@ratchet/contracts/model-versions'
import type { z } from 'zod'
import type { StoredVersion } from './model-version.ts'

/** What is known of the reward that made a version. */
export interface RewardFacts {
  /** Public ids of the criteria that rewarded. */
  readonly criterionIds: readonly string[]
  /** Models of their judges. */
  readonly judgeModels: readonly string[]
  /** What the guard said at the step of the version; null when it was not guarded. */
  readonly guard: GuardVerdict | null
  /** What people found among the best-scored answers; null before they graded any. */
  readonly audit: z.output<typeof RewardAudit> | null
}

/** Knows the rewards of runs, or of rounds. Null for a version of which nothing is known. */
export interface RewardSource {
  factsOf(version: Pick<StoredVersion, 'workspaceId' | 'producedBy' | 'step'>): Promise<RewardFacts | null>
}

export type RewardSources = ReadonlyMap<'grpo' | 'raft', RewardSource>

/** The rewards of a version and of those that it was trained from, the newest first. */
export async function rewardsOf(
  sources: RewardSources,
  ancestry: readonly StoredVersion[],
): Promise<readonly RewardFacts[]> {
  const found = await Promise.all(
    ancestry.map((version) => {
      const { type } = version.producedBy
      return type === 'grpo' || type === 'raft' ? (sources.get(type)?.factsOf(version) ?? null) : null
    }),
  )
  return found.filter((facts) => facts !== null)
}
