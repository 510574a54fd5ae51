import type { GatePlan } from '@ratchet/contracts/gate-plan'
import { microOfUsd, moneyText } from '../../../kit/money.ts'

/** What the judge of a gate costs until it has scored what is missing, and the shadow in that time. */
export function gateCostText(cost: GatePlan['cost']): string {
  const { judging_usd: judging, usd_per_verdict_from: from } = cost
  if (judging === null) return `What the judge costs is not known: its model has no price.${shadowText(cost)}`
  const basis = from === 'verdicts' ? 'its recent verdicts' : 'the list price of its model'
  return `The judge costs about ${text(judging)}, by ${basis}.${shadowText(cost)}`
}

function shadowText({ mirroring_usd: mirroring }: GatePlan['cost']): string {
  if (mirroring === 0) return ''
  return mirroring === null
    ? ' The cost of the shadow is not known yet.'
    : ` The shadow costs about ${text(mirroring)} more.`
}

const text = (usd: number) => moneyText(microOfUsd(usd))
