import { checkAnswer, type FitsSchema } from '@ratchet/judge-kit/checks/check-answer'
import { clamp, UNIT } from '@ratchet/stats/interval'
import { duplicateRatio, topTerm } from '../guard/step-alarms.ts'
import { composeReward, effectiveWeights } from '../rewards/compose-reward.ts'
import { deviationOf, groupAdvantages, hasNoVariance, mean } from '../rewards/group-advantages.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import type { FrozenJudge, RunSettings } from '../runs/run-settings.ts'
import type {
  GradedAnswer,
  JudgedRollout,
  RewardedRollout,
  StepFigures,
  StepToolCalls,
  StoredVerdict,
} from './judged-step.ts'

/** Answers of a step with what judges said of them. */
export interface StepToReward {
  readonly settings: Pick<RunSettings, 'reward' | 'hyperparameters'>
  readonly judges: readonly FrozenJudge[]
  /** By group. */
  readonly prompts: readonly GrpoPrompt[]
  readonly rollouts: readonly GradedAnswer[]
  readonly fitsSchema: FitsSchema
}

/** Rewards every answer, and gives it its advantage in its group. Takes a step for each answer, whose checks take their time. */
export function* rewardAnswers(step: StepToReward): Generator<void, readonly RewardedRollout[]> {
  const { settings, judges, rollouts } = step
  const weights = effectiveWeights(settings.reward, judges)
  const holdouts = judges.filter(({ role }) => role === 'holdout')
  const rewarded: { rollout: (typeof rollouts)[number]; reward: number; terms: Terms; holdout: number | null }[] = []
  for (const rollout of rollouts) {
    const terms = termsOf(step, rollout)
    const reward = composeReward(settings.reward, weights, new Map(Object.entries(terms)))
    const holdout = holdouts.length === 0 ? null : holdoutOf(rollout.verdicts)
    rewarded.push({ rollout, reward, terms, holdout })
    yield
  }
  return [...Map.groupBy(rewarded, ({ rollout }) => rollout.group).values()].flatMap((group) => {
    const rewards = group.map(({ reward }) => reward)
    const advantages = groupAdvantages(rewards, settings.hyperparameters.loss_method)
    const used = !hasNoVariance(rewards)
    return group.map(({ rollout, reward, terms, holdout }, index) => {
      return { id: rollout.id, reward, terms, advantage: used ? (advantages[index] ?? 0) : 0, used, holdout }
    })
  })
}

type Terms = Record<string, number | null>

/** Value of each term of the reward by name. */
function termsOf(
  { settings, prompts, fitsSchema }: StepToReward,
  rollout: GradedAnswer,
): Record<string, number | null> {
  const { criteria, functions, tools = [] } = settings.reward
  const reference = prompts[rollout.group]?.reference ?? null
  return Object.fromEntries([
    ...criteria.map(({ name, criterionId }) => {
      const found = rollout.verdicts.find((each) => each.role === 'reward' && each.criterionId === criterionId)
      return [name, verdictValue(found?.verdict ?? null)] as const
    }),
    ...functions.map(({ name, check }) => {
      return [name, checkAnswer(check, { completion: rollout.completion, reference }, fitsSchema) ? 1 : 0] as const
    }),
    ...tools.map(({ name }) => [name, rollout.grades.get(name) ?? null] as const),
  ])
}

export function verdictValue(verdict: StoredVerdict['verdict']): number | null {
  return verdict === null ? null : verdict === 'pass' ? 1 : 0
}

/** Null when no hold-out judge gave a verdict. */
function holdoutOf(verdicts: readonly StoredVerdict[]): number | null {
  const values = verdicts.filter(({ role }) => role === 'holdout').flatMap(({ verdict }) => verdictValue(verdict) ?? [])
  return values.length === 0 ? null : mean(values)
}

/** How many groups have something to learn from. */
export function usedGroups(rollouts: readonly JudgedRollout[], rewarded: readonly RewardedRollout[]): number {
  const used = new Set(rewarded.filter((each) => each.used).map(({ id }) => id))
  return new Set(rollouts.filter(({ id }) => used.has(id)).map(({ group }) => group)).size
}

interface Counted {
  /** Of each term, as it rewards. */
  readonly weights: ReadonlyMap<string, number>
  readonly rollouts: readonly JudgedRollout[]
  readonly rewarded: readonly RewardedRollout[]
  /** Groups that the step began with. Those that replaced others were chosen by their rewards. */
  readonly firstGroups: number
  /** Null without an environment. */
  readonly toolCalls: StepToolCalls | null
}

/** Means are those of the groups that the step began with. */
export function stepFigures({ weights, rollouts, rewarded, firstGroups, toolCalls }: Counted): StepFigures {
  const byId = new Map(rewarded.map((each) => [each.id, each]))
  const joined = rollouts.flatMap((rollout) => {
    const found = byId.get(rollout.id)
    return found === undefined ? [] : [{ ...found, rollout }]
  })
  const first = joined.filter(({ rollout }) => rollout.group < firstGroups)
  const groups = [...Map.groupBy(first, ({ rollout }) => rollout.group).values()]
  const all = new Set(rollouts.map(({ group }) => group)).size
  const rewards = first.map(({ reward }) => reward)
  const entropies = rollouts.flatMap(({ entropy }) => entropy ?? [])
  return {
    reward_mean: mean(rewards),
    reward_ci: intervalOf(groups.map((group) => mean(group.map(({ reward }) => reward)))),
    reward_std: deviationOf(rewards),
    zero_variance_groups: all - usedGroups(rollouts, rewarded),
    resampled_groups: all - groups.length,
    completion_length_mean: mean(rollouts.map(({ sampledTokens }) => sampledTokens)),
    truncated_ratio: mean(rollouts.map(({ truncated }) => (truncated ? 1 : 0))),
    entropy: entropies.length === 0 ? null : mean(entropies),
    adapter_version: Math.min(...rollouts.map(({ adapterVersion }) => adapterVersion)),
    tool_calls_per_rollout: toolCalls === null ? null : toolCalls.calls / rollouts.length,
    tool_failure_ratio: toolCalls === null || toolCalls.calls === 0 ? null : toolCalls.failures / toolCalls.calls,
    terms: termMeans(first.map(({ terms }) => terms)),
    duplicate_ratio: duplicateRatio(
      groups.map((group) => group.map(({ rollout }) => JSON.stringify(rollout.completion))),
    ),
    top_term: topTerm(
      groups.map((group) => group.map(({ terms }) => terms)),
      weights,
    ),
  }
}

function termMeans(all: readonly RewardedRollout['terms'][]): Record<string, number | null> {
  const names = Object.keys(all[0] ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const values = all.flatMap((terms) => terms[name] ?? [])
      return [name, values.length === 0 ? null : mean(values)]
    }),
  )
}

/** 95 % interval of the mean of prompts, which are independent, within 0 and 1. */
export function intervalOf(means: readonly number[]): readonly [number, number] {
  const average = mean(means)
  if (means.length < 2) return [0, 1]
  const half = (1.96 * deviationOf(means)) / Math.sqrt(means.length - 1)
  return [clamp(average - half, UNIT), clamp(average + half, UNIT)]
}
