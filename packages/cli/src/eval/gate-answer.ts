import { type GateCheck, GateRefusal, gateEval } from '@ratchet/contracts/eval-gate'
import { type Answer, formatTable } from '../answer.ts'
import { type Api, ApiRefusal } from '../api/api-client.ts'
import type { GateChoice } from './gate-options.ts'

/**
 * Calls the gate. The exit code is 0 when it passes, 2 when a check failed, 3 when the eval is not DONE, and 4 when only
 * `require_conclusive` failed.
 *
 * @throws ApiRefusal for another error of the API
 */
export async function askGate(api: Api, id: string, choice: GateChoice): Promise<Answer> {
  try {
    const { value, json } = await api.call(gateEval, { params: { id }, query: choice })
    return { json, text: inLines(value.checks, `passed: ${value.candidate} in ${value.eval_id}`) }
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.error.code !== 'precondition_failed') throw error
    const refusal = GateRefusal.safeParse(error.error.details)
    if (!refusal.success) throw error
    const { message, details } = error.error
    const { exitCode, verdict } = failureOf(refusal.data, message)
    return { json: { passed: false, message, ...details }, text: inLines(refusal.data.checks, verdict), exitCode }
  }
}

interface Failure {
  readonly exitCode: 2 | 3 | 4
  readonly verdict: string
}

function failureOf({ eval_status, checks }: GateRefusal, message: string): Failure {
  if (eval_status !== 'DONE') {
    return { exitCode: 3, verdict: `not DONE: the eval is ${eval_status}` }
  }
  const failed = checks.filter(({ passed }) => !passed).map(({ name }) => name)
  if (failed.length === 0) return { exitCode: 2, verdict: `failed: ${message}` }
  const isInconclusive = failed.every((name) => name === 'require_conclusive')
  return isInconclusive
    ? { exitCode: 4, verdict: 'inconclusive: only require_conclusive failed' }
    : { exitCode: 2, verdict: `failed: ${failed.join(', ')}` }
}

function inLines(checks: readonly GateCheck[], verdict: string): string {
  const rows = checks.map(({ name, operator, threshold, observed, ci, passed }) => [
    passed ? '✓' : '✗',
    name,
    `${operator} ${threshold}`,
    observed === null ? 'not measured' : inShort(observed),
    ci === null ? '-' : `${inShort(ci[0])} to ${inShort(ci[1])}`,
  ])
  const table = formatTable([['', 'CHECK', 'REQUIRED', 'OBSERVED', '95 % INTERVAL'], ...rows])
  return rows.length === 0 ? verdict : `${table}\n\n${verdict}`
}

function inShort(value: GateCheck['threshold']): string {
  return typeof value === 'number' ? String(Number(value.toFixed(4))) : String(value)
}
