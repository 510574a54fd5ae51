import type { StepAlarm } from '@ratchet/contracts/grpo-progress'
import { mean } from '../rewards/group-advantages.ts'

/** The figures of a step that alarms look at. Steps of older versions do not have all. */
export interface AlarmFigures {
  readonly completion_length_mean: number
  readonly entropy: number | null
  readonly duplicate_ratio?: number
  readonly top_term?: TopTerm | null
}

/** The term of a reward that tells answers to one prompt apart the most. */
export interface TopTerm {
  readonly name: string
  /** Of the variance of all terms within groups. */
  readonly share: number
}

const maxLengthFactor = 2
const minEntropyShare = 1 / 3
const maxTermShare = 0.9
const maxDuplicates = 0.3

/**
 * What a step should make people look at. Alarms only warn: what stops a run are looks.
 *
 * @param start the first step; null for itself
 */
export function stepAlarms(now: AlarmFigures, start: AlarmFigures | null): readonly StepAlarm[] {
  const { completion_length_mean: length, entropy, duplicate_ratio: duplicates = 0, top_term: top } = now
  const alarms: readonly (readonly [StepAlarm, boolean])[] = [
    ['length_drift', start !== null && hasDrifted(length, start.completion_length_mean)],
    ['entropy_collapse', entropy !== null && start?.entropy != null && entropy < start.entropy * minEntropyShare],
    ['one_term', top != null && top.share > maxTermShare],
    ['duplicates', duplicates > maxDuplicates],
  ]
  return alarms.flatMap(([alarm, isRaised]) => (isRaised ? [alarm] : []))
}

/** In either direction: answers that become ever shorter are a trick as well. */
function hasDrifted(length: number, before: number): boolean {
  return length > before * maxLengthFactor || length * maxLengthFactor < before
}

/** An alarm in words. */
export function alarmText(alarm: StepAlarm, step: number, now: AlarmFigures, start: AlarmFigures | null): string {
  switch (alarm) {
    case 'length_drift': {
      const [length, before] = [now.completion_length_mean, start?.completion_length_mean ?? 0]
      return `At step ${step} answers have ${Math.round(length)} tokens, ${Math.round(before)} at the start. Read some of them.`
    }
    case 'entropy_collapse':
      return `At step ${step} the entropy is ${(now.entropy ?? 0).toPrecision(2)}, less than a third of that at the start (${(start?.entropy ?? 0).toPrecision(2)}): the policy hardly varies its answers.`
    case 'one_term': {
      const { name, share } = now.top_term ?? { name: '', share: 0 }
      return `At step ${step} the term ${name} gives ${Math.round(share * 100)} % of the variance of the reward: the others teach next to nothing.`
    }
    case 'duplicates':
      return `At step ${step} ${Math.round((now.duplicate_ratio ?? 0) * 100)} % of the answers are the same as another one to their prompt.`
  }
}

/** Share of answers that are the same as an earlier one to their prompt. @param groups of texts */
export function duplicateRatio(groups: readonly (readonly string[])[]): number {
  const all = groups.reduce((sum, { length }) => sum + length, 0)
  const distinct = groups.reduce((sum, texts) => sum + new Set(texts).size, 0)
  return all === 0 ? 0 : (all - distinct) / all
}

type Terms = Readonly<Record<string, number | null>>

/**
 * The term with most of the variance within groups, which is what advantages are made of.
 *
 * @returns null with less than two terms, and without variance
 */
export function topTerm(groups: readonly (readonly Terms[])[], weights: ReadonlyMap<string, number>): TopTerm | null {
  const variances = [...weights].map(([name, weight]) => {
    const within = groups.map((group) => varianceOf(group.map((terms) => weight * (terms[name] ?? 0))))
    return { name, variance: mean(within) }
  })
  const total = variances.reduce((sum, { variance }) => sum + variance, 0)
  const [top] = variances.toSorted((one, other) => other.variance - one.variance)
  if (top === undefined || variances.length < 2 || total < 1e-12) return null
  return { name: top.name, share: top.variance / total }
}

function varianceOf(values: readonly number[]): number {
  const average = mean(values)
  return mean(values.map((value) => (value - average) ** 2))
}
