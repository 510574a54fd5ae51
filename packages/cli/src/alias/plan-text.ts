import type { GatePlan } from '@ratchet/contracts/gate-plan'
import { inUsd } from '../text/in-words.ts'

/** What a gate needs, how much of it is missing, and the time that the judge takes. */
export function planText(plan: GatePlan): string {
  const { scored, grades, missing, assumed, unit } = plan
  const items = itemsOf[unit]
  const gradesOf = ({ fails, passes }: GatePlan['grades']['target']) => fails + passes
  return [
    `TO PROVE AN EQUAL CANARY (${(assumed.power * 100).toFixed(0)} % chance; ${(assumed.fail_rate * 100).toFixed(1)} % bad ${items} assumed)`,
    `judged ${items}: target ${scored.target} (${missing.scored.target} missing), canary ${scored.canary} (${missing.scored.canary} missing)`,
    `grades of drawn ${items}: target ${gradesOf(grades.target)} (${missing.grades.target} missing), canary ${gradesOf(grades.canary)} (${missing.grades.canary} missing)`,
    timeText(plan),
    costText(plan),
  ].join('\n')
}

const itemsOf = { request: 'answers', trace: 'runs' } as const

function timeText({ unit, hours, ready_at: readyAt, fits_window: fits, scored_per_hour: pace }: GatePlan): string {
  if (hours === null || pace === null) return 'time: unknown, because there was no judged traffic to measure'
  const until = readyAt === null ? '' : `, until ${readyAt}`
  const late = fits === false ? '; the window of the gate ends before' : ''
  return `time: ${hours.toFixed(1)} h at ${pace.toFixed(0)} judged ${itemsOf[unit]} an hour${until}${late}`
}

const priceFrom = { verdicts: 'by recent verdicts', list_price: 'by the list price of its model' } as const

function costText({ cost: { usd_per_verdict: usd, usd_per_verdict_from: from, ...cost } }: GatePlan): string {
  const judging =
    cost.judging_usd === null || usd === null || from === null
      ? 'not known, because the judge has no verdicts and its model no price'
      : `${inUsd(cost.judging_usd)} at ${inUsd(usd)} a verdict, ${priceFrom[from]}`
  if (cost.mirroring_usd === 0) return `cost: judging ${judging}`
  const mirroring = cost.mirroring_usd === null ? 'not known yet' : inUsd(cost.mirroring_usd)
  return `cost: judging ${judging}; the shadow ${mirroring}`
}
