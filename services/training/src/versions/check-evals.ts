import type { Eval } from '@ratchet/contracts/evals'
import type { Identity } from '@ratchet/contracts/identity'
import { knownRoots } from '../data/training-roots.ts'
import { modelFamily } from '../grpo/rewards/model-family.ts'
import type { StoredVersion } from './model-version.ts'
import { type RewardFacts, type RewardSources, rewardsOf } from './reward-source.ts'
import type { VersionEvals } from './version-evals.ts'
import type { VersionStore } from './version-store.ts'

export interface CheckEvalsDeps {
  readonly versions: Pick<VersionStore, 'ancestry' | 'roots'>
  readonly rewards: RewardSources
  readonly evals: VersionEvals
}

/** An eval, and what it can prove of a version. */
export interface CheckedEval {
  readonly evalId: string
  /** Conversations of its prompts that the version was trained on or chosen by, or one that it was trained from. */
  readonly trainedPrompts: number
  /** Whether neither a criterion that rewarded the version nor a judge of the family of such a judge decided it. */
  readonly isIndependent: boolean
}

/** An eval that does not exist is left out. */
export async function checkEvals(
  { versions, rewards, evals }: CheckEvalsDeps,
  {
    version,
    identity,
    ids,
  }: { readonly version: StoredVersion; readonly identity: Identity; readonly ids: readonly string[] },
): Promise<readonly CheckedEval[]> {
  const ancestry = await versions.ancestry(version)
  const [packed, facts] = await Promise.all([versions.roots(ancestry), rewardsOf(rewards, ancestry)])
  const checked: CheckedEval[] = []
  for (const id of ids) {
    const found = await evals.get(identity, id)
    if (found === null) continue
    const trainedPrompts = packed.length === 0 ? 0 : knownRoots(packed, await evals.rootsOf(identity, id)).length
    checked.push({ evalId: id, trainedPrompts, isIndependent: isIndependent(found, version, facts) })
  }
  return checked
}

/** Of a product of a reward of which nothing is known, no judge is known to be independent. */
export function isIndependent(
  found: Pick<Eval, 'criterion_id' | 'judge_model' | 'judge_models'>,
  { isFromReward }: Pick<StoredVersion, 'isFromReward'>,
  facts: readonly RewardFacts[],
): boolean {
  if (!isFromReward) return true
  if (facts.length === 0) return false
  const criteria = new Set(facts.flatMap(({ criterionIds }) => criterionIds))
  if (found.criterion_id !== null && criteria.has(found.criterion_id)) return false
  const families = new Set(facts.flatMap(({ judgeModels }) => judgeModels).map(modelFamily))
  const judges = [found.judge_model, ...(found.judge_models ?? [])].flatMap((model) => model ?? [])
  return judges.length > 0 && judges.every((model) => !families.has(modelFamily(model)))
}
