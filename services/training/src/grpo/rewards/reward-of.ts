import type { RewardTerms } from '@ratchet/contracts/grpo-body'
import { publicId } from '@ratchet/contracts/public-id'
import type { RunReward } from '../runs/run-settings.ts'
import type { FoundJudge } from './judge-directory.ts'

/** @param judges of the criteria, in their order */
export function rewardOf({ criteria, functions }: RewardTerms, judges: readonly FoundJudge[]): RunReward {
  const total = [...criteria, ...functions].reduce((sum, { weight }) => sum + weight, 0)
  const names = new Set<string>()
  return {
    criteria: criteria.map(({ weight, required }, index) => {
      const criterionId = judges[index]?.criterionId ?? ''
      return { name: publicId('criterion', criterionId), criterionId, weight: weight / total, required }
    }),
    functions: functions.map((check) => {
      const name = firstFree(check.type, names)
      names.add(name)
      return { name, check, weight: check.weight / total, required: check.required }
    }),
  }
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name}#${number}`
  return free
}
