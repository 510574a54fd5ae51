import type { GrpoRun } from '@ratchet/contracts/grpo'
import type { GrpoStep, StepAlarm } from '@ratchet/contracts/grpo-progress'
import { count, percent, rate } from '../../../kit/numbers.ts'
import type { StepFacts, StepPoint } from '../../../pictures/step-sentence.ts'

type Run = Pick<GrpoRun, 'reward_baseline' | 'progress'>

/** The figures of a run by step: what is drawn as one chart each. Steps without a figure are left out. */
export function stepCharts(run: Run, steps: readonly GrpoStep[]): readonly StepFacts[] {
  const { reward_baseline: baseline } = run
  const totalSteps = run.progress.total_steps
  return [
    {
      title: 'Mean reward',
      points: steps.map(({ step, reward_mean: value, reward_ci: interval }) => ({ step, value, interval })),
      reference: baseline === null ? undefined : { label: 'before training', value: baseline },
      totalSteps,
      format: rate,
    },
    { title: 'Divergence (KL)', points: pointsOf(steps, ({ kl }) => kl), totalSteps, format: smallText },
    {
      title: 'Groups whose answers all have the same reward',
      points: pointsOf(steps, ({ zero_variance_groups: groups }) => groups),
      totalSteps,
      format: wholeText,
    },
    {
      title: 'Tokens of an answer',
      points: pointsOf(steps, ({ completion_length_mean: length }) => length),
      totalSteps,
      format: wholeText,
    },
    { title: 'Entropy', points: pointsOf(steps, ({ entropy }) => entropy), totalSteps, format: smallText },
    {
      title: 'Answers that are the same',
      points: pointsOf(steps, ({ duplicate_ratio: share }) => share),
      totalSteps,
      format: percent,
    },
  ]
}

const alarmTexts: Readonly<Record<StepAlarm, string>> = {
  length_drift: 'Answers are over twice or under half as long as at the start',
  entropy_collapse: 'The entropy is under a third of that at the start',
  one_term: 'One term gives over 90 % of the variance of the reward',
  duplicates: 'Over 30 % of the answers are the same as another one to their prompt',
}

const maxListedSteps = 6

/** Which alarms the steps have raised, one sentence each. */
export function alarmLines(steps: readonly Pick<GrpoStep, 'step' | 'alarms'>[]): readonly string[] {
  return (Object.keys(alarmTexts) as StepAlarm[]).flatMap((alarm) => {
    const raised = steps.flatMap(({ step, alarms }) => (alarms.includes(alarm) ? [step] : []))
    if (raised.length === 0) return []
    const which =
      raised.length > maxListedSteps
        ? `${count(raised.length)} steps from ${raised[0]} to ${raised.at(-1)}`
        : `${raised.length === 1 ? 'step' : 'steps'} ${raised.join(', ')}`
    return [`${alarmTexts[alarm]}: ${which}.`]
  })
}

function pointsOf(steps: readonly GrpoStep[], figure: (step: GrpoStep) => number | null): readonly StepPoint[] {
  return steps.flatMap((each) => {
    const value = figure(each)
    return value === null ? [] : [{ step: each.step, value }]
  })
}

function wholeText(value: number): string {
  return count(Math.round(value))
}

function smallText(value: number): string {
  return value.toPrecision(2)
}

/** Figures of the last step that are read as numbers. */
export function lastFigures(steps: readonly GrpoStep[]): readonly (readonly [name: string, value: string])[] {
  const last = steps.at(-1)
  if (last === undefined) return []
  const { logprob_gap_mean: gap, clip_ratio: clipped, entropy } = last
  return [
    ['Step', count(last.step)],
    ['Reward, deviation', rate(last.reward_std)],
    ['Cut at the maximum', percent(last.truncated_ratio)],
    ['Groups that were replaced', count(last.resampled_groups)],
    ['Entropy', entropy === null ? '–' : smallText(entropy)],
    ['Clipped', clipped === null ? '–' : percent(clipped)],
    ['Trainer against sampler', gap === null ? '–' : smallText(gap)],
  ]
}
