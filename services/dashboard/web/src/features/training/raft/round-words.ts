import type { RaftRound } from '@ratchet/contracts/raft'
import { count, percent } from '../../../kit/numbers.ts'
import type { State } from '../../../kit/state-mark.tsx'

const statuses: Record<RaftRound['status'], readonly [string, State]> = {
  sampling: ['answering', 'open'],
  judging: ['judging', 'open'],
  curating: ['choosing', 'open'],
  training: ['training', 'open'],
  evaluating: ['measuring', 'open'],
  done: ['done', 'proven'],
  failed: ['failed', 'wrong'],
  cancelled: ['cancelled', 'none'],
}

export function statusOf({ status }: Pick<RaftRound, 'status'>): { readonly word: string; readonly state: State } {
  const [word, state] = statuses[status]
  return { word, state }
}

/** Whether it changes without anybody doing something. */
export function isUnderWay({ status }: Pick<RaftRound, 'status'>): boolean {
  return !['done', 'failed', 'cancelled'].includes(status)
}

export function titleOf({
  name,
  base_model: model,
  round_index: index,
}: Pick<RaftRound, 'name' | 'base_model' | 'round_index'>): string {
  return `${name ?? model}, round ${index + 1}`
}

/** An interval as people read it, such as `62 % to 81 %`. */
function intervalText([low, high]: readonly [number, number]): string {
  return `${percent(low)} to ${percent(high)}`
}

/** What is known of the precision of what was accepted. */
export function precisionText({
  precision_estimate: estimate,
  precision_ci: interval,
}: Pick<RaftRound, 'precision_estimate' | 'precision_ci'>): string {
  if (estimate === null || interval === null) return '–'
  return `${percent(estimate)} (${intervalText(interval)})`
}

export function precisionState({
  precision_ci: interval,
  min_precision: bar,
}: Pick<RaftRound, 'precision_ci' | 'min_precision'>): State {
  if (interval === null) return 'none'
  return interval[0] >= bar ? 'proven' : 'wrong'
}

/** What the round changed, in a sentence; null before it is measured. */
export function gainText({ holdout_pass_rate: rate }: Pick<RaftRound, 'holdout_pass_rate'>): string | null {
  if (rate === null) return null
  const { before, after, ci } = rate
  const [low, high] = ci
  const rates = `From ${percent(before)} to ${percent(after)} of prompts that were held out`
  const points = (share: number) => `${Math.round(share * 100)}`
  if (low > 0) return `${rates}: better by ${points(low)} to ${points(high)} points.`
  if (high < 0) return `${rates}: worse by ${points(-high)} to ${points(-low)} points.`
  return `${rates}. The difference may be chance: ${points(low)} to ${points(high)} points.`
}

export function gainState({ holdout_pass_rate: rate }: Pick<RaftRound, 'holdout_pass_rate'>): State {
  if (rate === null) return 'none'
  if (rate.ci[0] > 0) return 'proven'
  return rate.ci[1] < 0 ? 'wrong' : 'borderline'
}

/** How many answers were accepted, of those that there are. */
export function acceptedText({
  accepted,
  generated,
  acceptance_rate: rate,
}: Pick<RaftRound, 'accepted' | 'generated' | 'acceptance_rate'>): string {
  return rate === null
    ? `${count(accepted)} of ${count(generated)}`
    : `${count(accepted)} of ${count(generated)}, ${percent(rate)}`
}
