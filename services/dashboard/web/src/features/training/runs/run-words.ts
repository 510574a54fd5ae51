import type { GrpoJudge, GrpoRun, GuardVerdict } from '@ratchet/contracts/grpo'
import type { GrpoLook } from '@ratchet/contracts/grpo-progress'
import { count, percent, rate } from '../../../kit/numbers.ts'
import type { State } from '../../../kit/state-mark.tsx'

const statuses: Record<GrpoRun['status'], readonly [string, State]> = {
  queued: ['queued', 'none'],
  preparing: ['preparing', 'open'],
  running: ['running', 'open'],
  paused: ['paused', 'borderline'],
  evaluating: ['measuring', 'open'],
  awaiting_adoption: ['waits for a decision', 'borderline'],
  adopted: ['adopted', 'proven'],
  rejected: ['rejected', 'wrong'],
  failed: ['failed', 'wrong'],
  cancelled: ['cancelled', 'none'],
}

export function statusOf({ status }: Pick<GrpoRun, 'status'>): { readonly word: string; readonly state: State } {
  const [word, state] = statuses[status]
  return { word, state }
}

/** Whether it changes without anybody doing something. */
export function isUnderWay({ status }: Pick<GrpoRun, 'status'>): boolean {
  return ['queued', 'preparing', 'running', 'evaluating'].includes(status)
}

export type RunAct = 'pause' | 'resume' | 'cancel'

/** What a person can do with it. One that is measured has ended its training, so it can only be waited for. */
export function actsOn({ status }: Pick<GrpoRun, 'status'>): readonly RunAct[] {
  if (status === 'preparing' || status === 'running') return ['pause', 'cancel']
  if (status === 'paused') return ['resume', 'cancel']
  return status === 'queued' ? ['cancel'] : []
}

const guards: Record<GuardVerdict, State> = {
  collecting: 'open',
  healthy: 'proven',
  diverging: 'wrong',
  regressed: 'wrong',
}

export function stateOfGuard(verdict: GuardVerdict): State {
  return guards[verdict]
}

/** The rewards of the first look and of the last step, such as `0.42 → 0.61`. */
export function rewardText({
  reward_baseline: before,
  reward_current: now,
}: Pick<GrpoRun, 'reward_baseline' | 'reward_current'>): string {
  if (before === null && now === null) return '–'
  return `${before === null ? '–' : rate(before)} → ${now === null ? '–' : rate(now)}`
}

const pauses: Record<NonNullable<GrpoRun['paused_reason']>, string> = {
  user: 'A person paused it.',
  criterion_trust_lost: 'A judge is not proven any more.',
  reward_diverged: 'The reward gained more than the hold-out judge or people confirm.',
  policy_mismatch: 'The trainer and the sampler do not agree about the policy.',
  credit: 'The wallet does not cover the judges.',
  tool_misses: 'Its tools failed, or recorded ones had no recording, too often.',
}

/** Why a run does not go on; null when it does, or has ended. */
export function waitText({
  status,
  paused_reason: reason,
  waiting_for: waits,
  trainer,
}: Pick<GrpoRun, 'status' | 'paused_reason' | 'waiting_for' | 'trainer'>): string | null {
  if (reason !== null) {
    const what = status === 'paused' ? 'After 30 days a paused run is cancelled.' : 'It saves a checkpoint first.'
    return `${pauses[reason]} ${what}`
  }
  if (status !== 'queued') return null
  return waits === 'gpu'
    ? `It waits until the trainer ${trainer} has a free place. Nothing is charged meanwhile.`
    : 'It starts as soon as a trainer takes it.'
}

const ends: Record<NonNullable<GrpoRun['stopped_early']>, string> = {
  max_cost: 'It ended before all steps, because its maximum cost was reached.',
  plateau: 'It ended before all steps, because the reward did not grow any more.',
  diverged: 'It ended before all steps, because the reward diverged.',
}

export function endText({ stopped_early: stopped }: Pick<GrpoRun, 'stopped_early'>): string | null {
  return stopped === null ? null : ends[stopped]
}

type Rate = GrpoLook['train_judge'] | null

/** A rate with its interval, such as `71 % (60 % to 80 %)`. */
export function rateText(rated: Rate): string {
  if (rated === null) return '–'
  return `${percent(rated.rate)} (${percent(rated.ci[0])} to ${percent(rated.ci[1])})`
}

/** A difference of rates with the bound that decides, in points. */
export function boundText(estimate: number, word: 'at least' | 'at most', bound: number): string {
  return `${pointsText(estimate)}, ${word} ${pointsText(bound)}`
}

/** A difference of two rates in percentage points, with its sign. */
export function pointsText(difference: number): string {
  const points = (difference * 100).toFixed(1)
  return difference > 0 ? `+${points}` : points
}

export function humanText(human: GrpoLook['human']): string {
  if (human === null) return '–'
  return `${count(human.false_pass)} of ${count(human.graded)}, at most ${percent(human.upper)}`
}

/** What a judge was proven to find when the run was created. */
export function judgeRateText(share: number | null, interval: GrpoJudge['tpr_ci']): string {
  if (share === null) return '–'
  return interval === null ? percent(share) : rateText({ rate: share, ci: interval })
}

/** Whom the guard asks beside the reward. */
export function holdoutText({ holdout }: Pick<GrpoRun, 'holdout'>): string {
  const { criterion_id: criterion, judge_model: model } = holdout
  if (criterion === null && model === null) return 'nobody: only grades of people can show that the reward is exploited'
  return [criterion, model].filter((part) => part !== null).join(', ')
}
