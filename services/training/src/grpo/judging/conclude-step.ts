import type { FitsSchema } from '@ratchet/judge-kit/checks/check-answer'
import type { LookedPrompt } from '../guard/guard-look.ts'
import { alarmText, stepAlarms } from '../guard/step-alarms.ts'
import { effectiveWeights } from '../rewards/compose-reward.ts'
import type { GrpoPrompt } from '../runs/read-prompts.ts'
import { nextPlaces } from '../steps/next-places.ts'
import type {
  EarlierSteps,
  GradedAnswer,
  JudgedRun,
  LeasedStep,
  LookFigures,
  RewardedRollout,
  RunChange,
  StepOutcome,
  StepToolCalls,
} from './judged-step.ts'
import { lookFigures } from './look-figures.ts'
import { rewardAnswers, stepFigures, usedGroups } from './reward-step.ts'

export interface ConcludedStep {
  readonly step: LeasedStep
  readonly run: JudgedRun
  /** By group. */
  readonly prompts: readonly GrpoPrompt[]
  readonly rollouts: readonly GradedAnswer[]
  /** Of a later look: the prompts of the one before training. */
  readonly first: readonly LookedPrompt[] | null
  /** Of a step. */
  readonly earlier: EarlierSteps | null
  /** Of a step with an environment. */
  readonly toolCalls: StepToolCalls | null
  readonly fitsSchema: FitsSchema
}

export interface Conclusion {
  readonly outcome: StepOutcome
  readonly change: RunChange
}

/** What judged answers come to: rewards and what follows for the run. Takes steps. */
export function* concludeStep(judged: ConcludedStep): Generator<void, Conclusion> {
  const { step, run, prompts, rollouts, fitsSchema } = judged
  const { settings, judges } = run
  const rewarded = yield* rewardAnswers({ settings, judges, prompts, rollouts, fitsSchema })
  return step.kind === 'look' ? concludeLook(judged, rewarded) : concludeTraining(judged, rewarded)
}

/** Groups without variance are replaced by the next prompts, a few times. */
function concludeTraining(
  { step, run, rollouts, toolCalls, earlier }: ConcludedStep,
  rewarded: readonly RewardedRollout[],
): Conclusion {
  const missing = step.firstGroups - usedGroups(rollouts, rewarded)
  if (missing > 0 && step.resamples < run.settings.resampleZeroVariance) {
    const groups = [...step.groups, ...nextPlaces(run, missing)]
    return { outcome: { kind: 'resample', rollouts: rewarded, groups }, change: {} }
  }
  const weights = effectiveWeights(run.settings.reward, run.judges)
  const figures = stepFigures({ weights, rollouts, rewarded, firstGroups: step.firstGroups, toolCalls })
  const first = earlier?.first ?? null
  const alarms = stepAlarms(figures, first)
  // A run says each once; its steps say it as often as it is so.
  const warnings = alarms.flatMap((alarm) =>
    earlier?.alarms.has(alarm) === true ? [] : [alarmText(alarm, step.step, figures, first)],
  )
  return {
    outcome: { kind: 'rewarded', rollouts: rewarded, figures: { ...figures, alarms } },
    change: { rewardCurrent: figures.reward_mean, warnings },
  }
}

function concludeLook({ step, run, rollouts, first }: ConcludedStep, rewarded: readonly RewardedRollout[]): Conclusion {
  const { settings, judges, acceptedGap } = run
  const figures = lookFigures({ settings, judges, rollouts, rewarded, first, acceptedGap })
  const outcome = { kind: 'rewarded', rollouts: rewarded, figures } as const
  if (step.step === 0) return { outcome, change: baselineChange(figures, rewarded) }
  return { outcome, change: { guardVerdict: figures.verdict, ...guardChange(run, step.step, figures) } }
}

/** A reward that all answers have, or none, teaches nothing: better known before training is paid. */
function baselineChange({ reward_mean: rewardBaseline }: LookFigures, rewarded: readonly RewardedRollout[]): RunChange {
  const isFlat = rewarded.every(({ reward }) => reward === 0) || rewarded.every(({ reward }) => reward === 1)
  if (!isFlat) return { rewardBaseline }
  const all = rewarded[0]?.reward === 1 ? 'All answers have the full reward' : 'No answer has any reward'
  const message = `${all} before training, so there is nothing to learn from. Change the reward, the prompts or the model.`
  return { rewardBaseline, failure: { code: 'reward_has_no_variance', message } }
}

function guardChange({ settings }: JudgedRun, step: number, { verdict, gap }: LookFigures): RunChange {
  if (verdict !== 'diverging' && verdict !== 'regressed') return {}
  const message =
    verdict === 'diverging'
      ? `At step ${step} the reward has gained at least ${(gap?.lower ?? 0).toFixed(2)} that the hold-out judge does not see: its judges are probably exploited.`
      : `At step ${step} the hold-out judge finds the answers worse than before training.`
  switch (settings.holdout.action) {
    case 'pause':
      return { pause: { reason: 'reward_diverged', message } }
    case 'stop':
      return { finish: { step, reason: 'diverged' }, warning: message }
    case 'none':
      return { warning: message }
  }
}
