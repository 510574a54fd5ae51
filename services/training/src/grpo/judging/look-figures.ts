import { clamp, UNIT } from '@ratchet/stats/interval'
import { guardLook, type LookedPrompt } from '../guard/guard-look.ts'
import { youdenOf } from '../rewards/compose-reward.ts'
import { mean } from '../rewards/group-advantages.ts'
import { type FrozenJudge, plannedLooks, type RunSettings } from '../runs/run-settings.ts'
import type { JudgedRollout, LookFigures, RewardedRollout } from './judged-step.ts'
import { intervalOf, verdictValue } from './reward-step.ts'

export interface Looked {
  readonly settings: RunSettings
  readonly judges: readonly FrozenJudge[]
  readonly rollouts: readonly JudgedRollout[]
  readonly rewarded: readonly RewardedRollout[]
  /** The prompts of the look before training; null: this one is it. */
  readonly first: readonly LookedPrompt[] | null
  /** The gap that the user has accepted. */
  readonly acceptedGap: number
}

/** What the judges of the reward and those that are held out think of the answers to prompts that are never trained on. */
export function lookFigures({ settings, judges, rollouts, rewarded, first, acceptedGap }: Looked): LookFigures {
  const rewards = new Map(rewarded.map(({ id, reward }) => [id, reward]))
  const groups = [...Map.groupBy(rollouts, ({ group }) => group).entries()].toSorted(([left], [right]) => left - right)
  const rated = groups.map(([, group]) => {
    const train = ratesOf(settings, judges, { role: 'reward', group })
    const reward = mean(group.map(({ id }) => rewards.get(id) ?? 0))
    return {
      train: train ?? { moved: reward, rate: reward },
      holdout: ratesOf(settings, judges, { role: 'holdout', group }),
      reward,
    }
  })
  const prompts = rated.map(({ train, holdout }) => ({ train: train.moved, holdout: holdout?.moved ?? null }))
  const holdouts = rated.flatMap(({ holdout }) => holdout?.rate ?? [])
  const rules = { looks: plannedLooks(settings) - 1, margin: Math.max(settings.holdout.margin, acceptedGap) }
  const { gap, holdoutGain, verdict } =
    first === null ? { gap: null, holdoutGain: null, verdict: 'collecting' as const } : guardLook(first, prompts, rules)
  return {
    reward_mean: mean(rated.map(({ reward }) => reward)),
    train: rateOf(rated.map(({ train }) => train.rate)),
    holdout: holdouts.length === 0 ? null : rateOf(holdouts),
    gap,
    holdout_gain: holdoutGain,
    verdict,
    prompts,
  }
}

interface Rates {
  /** The pass rates over what a true change of 1 changes them by: differences of it are those of the truth. */
  readonly moved: number
  /** The pass rates, corrected for the errors of the judges; may be outside of 0 and 1 for one prompt. */
  readonly rate: number
}

/** The weighted mean of the judges with a role; null without any verdict. */
function ratesOf(
  { reward }: RunSettings,
  judges: readonly FrozenJudge[],
  { role, group }: { readonly role: FrozenJudge['role']; readonly group: readonly JudgedRollout[] },
): Rates | null {
  let [total, moved, rate] = [0, 0, 0]
  for (const judge of judges) {
    if (judge.role !== role) continue
    const values = group.flatMap(({ verdicts }) => {
      const found = verdicts.find((each) => each.role === role && each.criterionId === judge.criterionId)
      return verdictValue(found?.verdict ?? null) ?? []
    })
    if (values.length === 0) continue
    const weight = reward.criteria.find(({ criterionId }) => criterionId === judge.criterionId)?.weight ?? 1
    const youden = youdenOf(judge)
    const falsePass = judge.tpr === null || judge.tnr === null ? 0 : 1 - judge.tpr
    total += weight
    moved += (weight * mean(values)) / youden
    rate += (weight * (mean(values) - falsePass)) / youden
  }
  return total === 0 ? null : { moved: moved / total, rate: rate / total }
}

function rateOf(rates: readonly number[]): { readonly rate: number; readonly ci: readonly [number, number] } {
  return { rate: clamp(mean(rates), UNIT), ci: intervalOf(rates) }
}
