import type { RewardTerms } from '@ratchet/contracts/grpo-body'
import { publicId } from '@ratchet/contracts/public-id'
import type { RunReward } from '../runs/run-settings.ts'
import type { FoundJudge } from './judge-directory.ts'

export interface NamedSources {
  /** Of the criteria, in their order. */
  readonly judges: readonly FoundJudge[]
  /** Of the tools, in their order. */
  readonly toolNames: readonly string[]
}

export function rewardOf({ criteria, functions, tools }: RewardTerms, { judges, toolNames }: NamedSources): RunReward {
  const total = [...criteria, ...functions, ...tools].reduce((sum, { weight }) => sum + weight, 0)
  const names = new Set(judges.map(({ criterionId }) => publicId('criterion', criterionId)))
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
    tools: tools.map(({ environmentToolId: toolId, weight, required }, index) => {
      const name = firstFree(toolNames[index] ?? toolId, names)
      names.add(name)
      return { name, toolId, weight: weight / total, required }
    }),
  }
}

function firstFree(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name}#${number}`
  return free
}
