import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { GatePlan } from '@ratchet/contracts/gate-plan'
import { isMirrored } from '../aliases/alias.ts'
import type { ShadowCounts } from './arm-counts.ts'
import type { GateJudge } from './gate-judge.ts'

export interface PlannedSpending {
  readonly settings: Pick<AliasSettings, 'shadow_model' | 'shadow_percent' | 'gate_criterion_id'>
  readonly judge: GateJudge | null
  /** Verdicts that are missing, of both arms. */
  readonly verdicts: number
  /** Hours until they are there; null when that is not known. */
  readonly hours: number | null
  /** Requests to the alias; null without traffic. */
  readonly requestsPerHour: number | null
  /** The shadow model until now; null without one. */
  readonly shadow: ShadowCounts | null
}

/** What a gate costs until the judge has scored what is missing. */
export function planCost(spending: PlannedSpending): GatePlan['cost'] {
  const { usd, from } = spending.judge?.verdictCost ?? { usd: null, from: null }
  return {
    usd_per_verdict: usd,
    usd_per_verdict_from: from,
    judging_usd: usd === null ? null : usd * spending.verdicts,
    mirroring_usd: mirroringUsd(spending, usd),
  }
}

/** Every mirrored answer is judged by the judge of the alias. */
function mirroringUsd(
  { settings, hours, requestsPerHour, shadow }: PlannedSpending,
  usdPerVerdict: number | null,
): number | null {
  if (!isMirrored(settings)) return 0
  const verdict = settings.gate_criterion_id === null ? 0 : usdPerVerdict
  const isKnown = shadow !== null && shadow.model === settings.shadow_model && shadow.answered > 0
  if (!isKnown || hours === null || requestsPerHour === null || verdict === null) return null
  const mirrored = requestsPerHour * hours * (settings.shadow_percent / 100)
  return mirrored * (shadow.costUsd / shadow.answered + verdict)
}
