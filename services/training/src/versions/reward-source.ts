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

/** Where a version of a run or round comes from, and what was found out about it. */
export interface RewardTrace {
  readonly kind: 'run' | 'round'
  /** Public id of the run or round. */
  readonly id: string
  readonly details: Readonly<Record<string, unknown>>
  /** UUIDs of the datasets with its prompts. */
  readonly datasetIds: readonly string[]
  /** Which prompts of the log it had; null or absent for those of datasets. */
  readonly filters?: Readonly<Record<string, unknown>> | null
  /** The version whose answers it was trained on, where that is another than the one it was trained from. */
  readonly answeredBy: { readonly id: string; readonly model: string } | null
  /** What the looks of the guard found until its step; null when it was not guarded. */
  readonly guard: Readonly<Record<string, unknown>> | null
  readonly audit: RewardFacts['audit']
}

/** Knows the rewards of runs, or of rounds. Null for a version of which nothing is known. */
export interface RewardSource {
  factsOf(version: Rewarded): Promise<RewardFacts | null>
  traceOf(version: Rewarded): Promise<RewardTrace | null>
}

type Rewarded = Pick<StoredVersion, 'workspaceId' | 'producedBy' | 'step'>

export type RewardSources = ReadonlyMap<'grpo' | 'raft', RewardSource>

/** The rewards of a version and of those that it was trained from, the newest first. */
export async function rewardsOf(
  sources: RewardSources,
  ancestry: readonly StoredVersion[],
): Promise<readonly RewardFacts[]> {
  const found = await Promise.all(ancestry.map((version) => sourceOf(sources, version)?.factsOf(version) ?? null))
  return found.filter((facts) => facts !== null)
}

/** Null for a version that no reward made. */
export async function traceOf(sources: RewardSources, version: StoredVersion): Promise<RewardTrace | null> {
  return (await sourceOf(sources, version)?.traceOf(version)) ?? null
}

function sourceOf(sources: RewardSources, { producedBy: { type } }: StoredVersion): RewardSource | undefined {
  return type === 'grpo' || type === 'raft' ? sources.get(type) : undefined
}
