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
  /** Null when it was not measured. */
  readonly observed: GateCheck['observed']
  readonly ci?: GateCheck['ci']
}

interface GateRule {
  readonly operator: GateCheck['operator']
  readonly observe: (evidence: GateEvidence) => Observation
}

/** For each check: the figure that it reads and the comparison with the threshold. */
export const gateRules: Readonly<Record<GateCheckName, GateRule>> = {
  min_win_rate: atLeast((report) => ({ observed: report.win_rate, ci: report.win_rate_ci })),
  min_win_rate_lower: atLeast((report) => ({ observed: report.win_rate_ci?.[0] ?? null, ci: report.win_rate_ci })),
  max_loss_rate: atMost((report) => ({ observed: share(report.losses, report.samples_judged) })),
  min_savings_pct: atLeast((report) => ({ observed: report.savings_pct, ci: report.savings_ci })),
  max_avg_latency_ms: atMost((report) => ({ observed: report.avg_latency_ms })),
  max_p95_latency_ms: atMost((report) => ({ observed: report.p95_latency_ms, ci: report.p95_latency_ci })),
  max_latency_ratio: atMost((report) => ({ observed: report.latency_ratio })),
  max_error_rate: atMost((report) => ({ observed: report.error_rate })),
  min_samples: atLeast((report) => ({ observed: report.samples_judged })),
  require_conclusive: equals((report) => ({ observed: !report.inconclusive, ci: report.win_rate_ci })),
  min_runs_clean_pct: atLeast((report) => ({ observed: share(100 * report.runs_clean, report.runs_total) })),
  min_assertion_pass_rate: atLeast((report) => ({ observed: worstPassRate(report) })),
  require_trust: { operator: '==', observe: ({ judgeTrust }) => ({ observed: judgeTrust }) },
}

type ObserveReport = (report: CandidateReport) => Observation

function atLeast(observe: ObserveReport): GateRule {
  return { operator: '>=', observe: fromReport(observe) }
}

function atMost(observe: ObserveReport): GateRule {
  return { operator: '<=', observe: fromReport(observe) }
}

function equals(observe: ObserveReport): GateRule {
  return { operator: '==', observe: fromReport(observe) }
}

function fromReport(observe: ObserveReport): GateRule['observe'] {
  return ({ candidate }) => (candidate === null ? { observed: null } : observe(candidate))
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

/** Null without assertions, and when one of them was never applied because no answer came. */
function worstPassRate({ assertions }: CandidateReport): number | null {
  const rates = Object.values(assertions).map(({ pass_rate: rate }) => rate)
  const known = rates.filter((rate) => rate !== null)
  return known.length === 0 || known.length < rates.length ? null : Math.min(...known)
}
