import type { Trust } from '@ratchet/contracts/criteria'
import {
  checksOfVerdicts,
  defaultChecks,
  type GateCheck,
  type GateQuery,
  gateChecks,
} from '@ratchet/contracts/eval-gate'
import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import type { EvalStatus } from '@ratchet/contracts/evals'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

export interface GateRequest {
  readonly status: EvalStatus
  readonly report: EvalReport | null
  readonly candidateModels: readonly string[]
  /** Trust in the judge when the eval was created; null when the judge is not a criterion. */
  readonly judgeTrust: Trust | null
  /** Why nothing may act on the judge, then; null when it may. */
  readonly cannotActReason: string | null
  /** Whether that trust comes from grades of items that people picked. */
  readonly isPicked: boolean
  /** By candidate, the lower bound of the win rate that the evidence policy of an alias reads. */
  readonly evidenceLows: Readonly<Record<string, number | null>>
  readonly query: GateQuery
}

export type GateResult =
  | { readonly kind: 'passed'; readonly candidate: string; readonly checks: GateCheck[] }
  | {
      readonly kind: 'refused'
      readonly candidate: string
      readonly checks: GateCheck[]
      readonly reason: 'not_done' | 'failed'
    }

/**
 * Compares the report of a candidate with the requested checks. An eval that is not DONE never passes, but its checks
 * show the figures that are known.
 *
 * @throws ServiceError `no_checks` when no check is requested, `invalid_request` when the candidate is unknown or ambiguous
 */
export function checkGate(request: GateRequest): GateResult {
  const { status, report, candidateModels, evidenceLows, query } = request
  if (!requestsAnyCheck(query)) {
    throw new ServiceError('no_checks', `Request at least one check: ${Object.keys(gateChecks).join(', ')}.`)
  }
  const candidate = candidateOf(query, candidateModels)
  const found = report !== null && Object.hasOwn(report.candidates, candidate) ? report.candidates[candidate] : null
  const evidence = { ...request, candidate: found ?? null, evidenceLow: evidenceLows[candidate] ?? null }
  const checks = requestedChecks(query).map((name) => checkOne(name, query, evidence))
  if (status !== 'DONE') return { kind: 'refused', candidate, checks, reason: 'not_done' }
  const passed = checks.every((check) => check.passed)
  return passed ? { kind: 'passed', candidate, checks } : { kind: 'refused', candidate, checks, reason: 'failed' }
}

/** A check that is `false` is switched off, so it does not count as a check. */
function requestsAnyCheck(query: GateQuery): boolean {
  return checkNames.some((name) => query[name] !== undefined && query[name] !== false)
}

const checkNames = Object.keys(gateChecks) as GateCheckName[]
const isDefault = (name: GateCheckName) => defaultChecks.some((each) => each === name)

/** The requested checks in the order of the contract. */
function requestedChecks(query: GateQuery): readonly GateCheckName[] {
  const readsVerdicts = checksOfVerdicts.some((name) => isRequested(query, name))
  return checkNames.filter((name) =>
    isDefault(name) && name !== 'require_conclusive' && query[name] === undefined
      ? readsVerdicts
      : isRequested(query, name),
  )
}

function isRequested(query: GateQuery, name: GateCheckName): boolean {
  return isDefault(name) ? query[name] !== false : query[name] !== undefined
}

function candidateOf({ candidate }: GateQuery, candidateModels: readonly string[]): string {
  const [only, ...others] = candidateModels
  const requested = candidate ?? (others.length === 0 ? only : undefined)
  if (requested !== undefined && candidateModels.includes(requested)) return requested
  const message =
    candidate === undefined ? 'The eval has several candidates: send `candidate`' : 'The eval has no such candidate'
  throw new ServiceError('invalid_request', `${message}, one of ${candidateModels.join(', ')}.`, {
    param: 'candidate',
  })
}

function checkOne(name: GateCheckName, query: GateQuery, evidence: GateEvidence): GateCheck {
  const { operator, observe } = gateRules[name]
  const threshold = query[name] ?? true
  const { observed, ci = null } = observe(evidence)
  return {
    name,
    operator,
    threshold,
    observed,
    ci,
    passed: observed !== null && satisfies(observed, operator, threshold),
  }
}

type Value = GateCheck['threshold']

/** A value equal to the threshold passes. */
function satisfies(observed: Value, operator: GateCheck['operator'], threshold: Value): boolean {
  if (operator === '==') return observed === threshold
  return operator === '>=' ? observed >= threshold : observed <= threshold
}

type GateCheckName = keyof typeof gateChecks

interface GateEvidence extends Pick<GateRequest, 'judgeTrust' | 'cannotActReason' | 'isPicked'> {
  /** Null while there is no report. */
  readonly candidate: CandidateReport | null
  readonly evidenceLow: number | null
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
const gateRules: Readonly<Record<GateCheckName, GateRule>> = {
  min_win_rate: atLeast((report) => ({ observed: report.win_rate, ci: report.win_rate_ci })),
  min_win_rate_lower: atLeast((report) => ({ observed: report.win_rate_ci?.[0] ?? null, ci: report.win_rate_ci })),
  min_evidence_lower: { operator: '>=', observe: ({ evidenceLow }) => ({ observed: evidenceLow }) },
  max_worse_by: atMost(({ difference }) =>
    difference == null ? { observed: null } : { observed: Math.max(0, -difference.ci[0]), ci: difference.ci },
  ),
  max_loss_rate: atMost((report) => ({ observed: share(report.losses, comparedIn(report)) })),
  min_savings_pct: atLeast((report) => ({ observed: report.savings_pct, ci: report.savings_ci })),
  max_avg_latency_ms: atMost((report) => ({ observed: report.avg_latency_ms })),
  max_p95_latency_ms: atMost((report) => ({ observed: report.p95_latency_ms, ci: report.p95_latency_ci })),
  max_latency_ratio: atMost((report) => ({ observed: report.latency_ratio })),
  max_error_rate: atMost((report) => ({ observed: report.error_rate })),
  min_samples: atLeast((report) => ({ observed: report.samples_judged })),
  require_conclusive: equals((report) =>
    report.difference?.question === 'not_worse'
      ? { observed: report.difference.verdict !== 'inconclusive', ci: report.difference.ci }
      : { observed: !report.inconclusive, ci: report.win_rate_ci },
  ),
  require_reliable_judge: equals(({ judge_unreliable: isUnreliable, judge_biased: isBiased }) => ({
    observed: !isUnreliable && !isBiased,
  })),
  require_measured_judge: { operator: '==', observe: (evidence) => ({ observed: isMeasured(evidence) }) },
  min_runs_clean_pct: atLeast((report) => ({ observed: share(100 * report.runs_clean, report.runs_total) })),
  min_assertion_pass_rate: atLeast((report) => ({ observed: worstPassRate(report) })),
  require_trust: { operator: '==', observe: (evidence) => ({ observed: provenTrust(evidence) }) },
}

/**
 * A judge without a criterion was never measured, the rates of a misaligned one are proven to be too low, and those of a
 * borderline one are not above the bar although there are enough grades. Of picked items nobody knows what the rates are those of.
 */
function isMeasured({ judgeTrust, isPicked }: GateEvidence): boolean {
  return !isPicked && (judgeTrust === 'trustworthy' || judgeTrust === 'under-measured')
}

/** A judge just at the bar is trustworthy at one of many calibrations, so that a gate which acts asks for the right to act too. */
function provenTrust({ judgeTrust, cannotActReason }: GateEvidence): string | null {
  return judgeTrust === 'trustworthy' && cannotActReason !== null ? 'cannot_act' : judgeTrust
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

/** Errors of a model are wins or losses without a verdict. */
function comparedIn({ wins, ties, losses }: CandidateReport): number {
  return wins + ties + losses
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
