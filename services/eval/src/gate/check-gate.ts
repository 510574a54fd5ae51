import type { Trust } from '@ratchet/contracts/criteria'
import { type GateCheck, type GateQuery, gateChecks } from '@ratchet/contracts/eval-gate'
import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { EvalStatus } from '@ratchet/contracts/evals'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { type GateCheckName, type GateEvidence, gateRules } from './gate-rules.ts'

export interface GateRequest {
  readonly status: EvalStatus
  readonly report: EvalReport | null
  readonly candidateModels: readonly string[]
  /** Of the judge when the eval began; null when it is no criterion. */
  readonly judgeTrust: Trust | null
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
 * Holds a candidate against the checks that are asked for. What is known of an eval that is not DONE is shown in the
 * checks, but passes nothing.
 *
 * @throws ServiceError `no_checks` when none is asked for, `invalid_request` when it is not clear which candidate is meant
 */
export function checkGate({ status, report, candidateModels, judgeTrust, query }: GateRequest): GateResult {
  if (!asksAnything(query)) {
    throw new ServiceError('no_checks', `Ask for at least one check: ${Object.keys(gateChecks).join(', ')}.`)
  }
  const candidate = candidateOf(query, candidateModels)
  const found = report !== null && Object.hasOwn(report.candidates, candidate) ? report.candidates[candidate] : null
  const checks = namesOf(query).map((name) => checkOne(name, query, { candidate: found ?? null, judgeTrust }))
  if (status !== 'DONE') return { kind: 'refused', candidate, checks, reason: 'not_done' }
  const passed = checks.every((check) => check.passed)
  return passed ? { kind: 'passed', candidate, checks } : { kind: 'refused', candidate, checks, reason: 'failed' }
}

/** Being asked not to require something is being asked nothing. */
function asksAnything(query: GateQuery): boolean {
  return checkNames.some((name) => query[name] !== undefined && query[name] !== false)
}

const checkNames = Object.keys(gateChecks) as GateCheckName[]

/** In the order of the contract. */
function namesOf(query: GateQuery): readonly GateCheckName[] {
  return checkNames.filter((name) =>
    name === 'require_conclusive' ? query.require_conclusive !== false : query[name] !== undefined,
  )
}

function candidateOf({ candidate }: GateQuery, candidateModels: readonly string[]): string {
  const [only, ...others] = candidateModels
  const meant = candidate ?? (others.length === 0 ? only : undefined)
  if (meant !== undefined && candidateModels.includes(meant)) return meant
  const message = candidate === undefined ? 'Name the candidate that is meant' : 'The eval has no such candidate'
  throw new ServiceError('invalid_request', `${message}; one of: ${candidateModels.join(', ')}.`, {
    param: 'candidate',
  })
}

function checkOne(name: GateCheckName, query: GateQuery, evidence: GateEvidence): GateCheck {
  const { operator, observe } = gateRules[name]
  const threshold = query[name] ?? true
  const { observed, ci = null } = observe(evidence)
  return { name, operator, threshold, observed, ci, passed: observed !== null && holds(observed, operator, threshold) }
}

type Value = GateCheck['threshold']

/** Bounds are included. */
function holds(observed: Value, operator: GateCheck['operator'], threshold: Value): boolean {
  if (operator === '==') return observed === threshold
  return operator === '>=' ? observed >= threshold : observed <= threshold
}
