import type { Trust } from '@ratchet/contracts/criteria'
import type { GateCheck, gateChecks } from '@ratchet/contracts/eval-gate'
import type { CandidateReport } from '@ratchet/contracts/eval-report'

export type GateCheckName = keyof typeof gateChecks

export interface GateEvidence {
  /** Null while there is no report. */
  readonly candidate: CandidateReport | null
  readonly judgeTrust: Trust | null
}

interface Observation {
  /** Null for what was not measured. */
  readonly observed: GateCheck['observed']
  readonly ci?: GateCheck['ci']
}

interface GateRule {
  readonly operator: GateCheck['operator']
  readonly observe: (evidence: GateEvidence) => Observation
}

/** What each check looks at, and what holds it against the threshold. */
export const gateRules: Readonly<Record<GateCheckName, GateRule>> = {
  min_win_rate: least((report) => ({ observed: report.win_rate, ci: report.win_rate_ci })),
  min_win_rate_lower: least((report) => ({ observed: report.win_rate_ci?.[0] ?? null, ci: report.win_rate_ci })),
  max_loss_rate: most((report) => ({ observed: share(report.losses, report.samples_judged) })),
  min_savings_pct: least((report) => ({ observed: report.savings_pct, ci: report.savings_ci })),
  max_avg_latency_ms: most((report) => ({ observed: report.avg_latency_ms })),
  max_p95_latency_ms: most((report) => ({ observed: report.p95_latency_ms, ci: report.p95_latency_ci })),
  max_latency_ratio: most((report) => ({ observed: report.latency_ratio })),
  max_error_rate: most((report) => ({ observed: report.error_rate })),
  min_samples: least((report) => ({ observed: report.samples_judged })),
  require_conclusive: equal((report) => ({ observed: !report.inconclusive, ci: report.win_rate_ci })),
  min_runs_clean_pct: least((report) => ({ observed: share(100 * report.runs_clean, report.runs_total) })),
  min_assertion_pass_rate: least((report) => ({ observed: worstPassRate(report) })),
  require_trust: { operator: '==', observe: ({ judgeTrust }) => ({ observed: judgeTrust }) },
}

type ObserveReport = (report: CandidateReport) => Observation

function least(observe: ObserveReport): GateRule {
  return { operator: '>=', observe: ofReport(observe) }
}

function most(observe: ObserveReport): GateRule {
  return { operator: '<=', observe: ofReport(observe) }
}

function equal(observe: ObserveReport): GateRule {
  return { operator: '==', observe: ofReport(observe) }
}

function ofReport(observe: ObserveReport): GateRule['observe'] {
  return ({ candidate }) => (candidate === null ? { observed: null } : observe(candidate))
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** Null without assertions, and when one of them was held against no answer. */
function worstPassRate({ assertions }: CandidateReport): number | null {
  const rates = Object.values(assertions).map(({ pass_rate: rate }) => rate)
  const known = rates.filter((rate) => rate !== null)
  return known.length === 0 || known.length < rates.length ? null : Math.min(...known)
}
