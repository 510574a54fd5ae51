import type { Criterion } from '@ratchet/contracts/criteria'
import { countOf, percent } from '../../kit/numbers.ts'

/** What is missing until a judge is proven, as sentences. */
export function missingOf(judge: Criterion): readonly string[] {
  const { fail_grades_needed: fails, pass_grades_needed: passes, trust } = judge
  if (trust === 'unmeasured') return ['No calibration is in force. Grade some answers, then calibrate.']
  const sides = [
    ...(fails
      ? [
          `${countOf(fails, 'further grade')} of failing answers would prove that it finds fails, if they agree as before.`,
        ]
      : []),
    ...(passes
      ? [
          `${countOf(passes, 'further grade')} of passing answers would prove that it keeps passes, if they agree as before.`,
        ]
      : []),
  ]
  if (trust === 'borderline') return [...sides, 'A rate is so near the bar that grades alone will hardly prove it.']
  if (trust === 'misaligned')
    return [...sides, 'A rate is proven to be below the bar. Improve the prompt, or choose another model.']
  return sides
}

/** What a judge is about: tag and segment of its traffic. */
export function populationText({ population, population_family: family, unit }: Criterion): string {
  const parts = [...(population === '' ? [] : [`tag ${population}`]), ...(family === '' ? [] : [`segment ${family}`])]
  const traffic = parts.length === 0 ? 'all traffic' : parts.join(', ')
  return unit === 'trace' ? `complete runs, ${traffic}` : traffic
}

/** Whether gates may act on a judge, and why not. */
export function actText({ can_act: canAct, cannot_act_reason: reason }: Criterion): string {
  if (canAct) return 'Gates may act on it.'
  return reason === null ? 'Gates may not act on it yet.' : `Gates may not act on it: ${reason}.`
}

/** The drop that the monitor finds at its present share of the traffic. */
export function detectableText(detectable: Criterion['drift_detectable']): string {
  if (detectable === null) return 'not known until the judge is calibrated and the monitor has judged for some days'
  const { drop, within_days: days, chance, verdicts_per_day: pace } = detectable
  return `${percent(drop)} or more within ${days} days, with a chance of ${percent(chance)}, by ${countOf(Math.round(pace), 'verdict')} a day; a larger share finds smaller ones`
}

/** Who judges: a model, or how many checks. */
export function judgedByText({ judge_model: model, checks }: Pick<Criterion, 'judge_model' | 'checks'>): string {
  return checks === null ? model : countOf(checks.length, 'check')
}
