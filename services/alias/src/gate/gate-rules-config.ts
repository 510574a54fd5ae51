import { hourMs } from '@ratchet/service-kit/timing/durations'
import { z } from 'zod'
import type { GateRules } from './gate-timing.ts'
import { minGradesPerArm } from './plan-gate.ts'

/** Variables of processes that decide about splits. */
export const gateRulesConfig = {
  /** Time before a gate may promote a canary by itself, hours. */
  GATE_PROMOTE_AFTER_HOURS: z.coerce.number().min(0).default(24),
  /** Drawn answers of each arm that people must have graded before grades prove anything. */
  GATE_GRADES_PER_ARM: z.coerce.number().int().min(20).default(minGradesPerArm),
}
const GateRulesConfig = z.object(gateRulesConfig)

export function gateRulesOf(config: z.output<typeof GateRulesConfig>): GateRules {
  return { promoteAfterMs: config.GATE_PROMOTE_AFTER_HOURS * hourMs, gradesPerArm: config.GATE_GRADES_PER_ARM }
}
