import { parseJson } from '@ratchet/service-kit/values/json'
import { z } from 'zod'

/** The part of the output of `pnpm audit --json` that is read here. */
const Report = z.object({
  advisories: z.record(
    z.string(),
    z.object({
      github_advisory_id: z.string(),
      module_name: z.string(),
      severity: z.enum(['info', 'low', 'moderate', 'high', 'critical']),
      title: z.string(),
      vulnerable_versions: z.string().optional(),
    }),
  ),
})

/** A known vulnerability that is accepted until a date. */
export interface Allowance {
  /** `GHSA-…`. */
  readonly advisory: string
  /** Why it cannot be exploited here. */
  readonly reason: string
  /** Last day on which it is accepted, `2027-01-31`. */
  readonly until: string
}

export interface AuditJudgement {
  readonly ok: boolean
  /** One line for each vulnerability, for people. */
  readonly lines: readonly string[]
}

/** Severities that fail an audit. */
const serious = new Set(['high', 'critical'])

/**
 * Judges an audit: a high or critical vulnerability fails it unless a current allowance exists. Others are only reported.
 *
 * @param today `2026-11-22`
 * @returns null when the text is not a report, as when the registry does not support audits
 */
export function judgeAudit(text: string, allowances: readonly Allowance[], today: string): AuditJudgement | null {
  const report = Report.safeParse(parseJson(text))
  if (!report.success) return null
  const found = Object.values(report.data.advisories)
  const ids = new Set(found.map(({ github_advisory_id: id }) => id))
  const reported = found.map((advisory) => {
    const allowance = allowances.find((each) => each.advisory === advisory.github_advisory_id)
    const holds = allowance !== undefined && allowance.until >= today
    const what = `${advisory.severity} ${advisory.github_advisory_id} ${advisory.module_name}: ${advisory.title}`
    const why = allowance === undefined ? '' : ` (allowed until ${allowance.until}: ${allowance.reason})`
    return { fails: serious.has(advisory.severity) && !holds, line: what + why }
  })
  const stale = allowances.filter(({ advisory }) => !ids.has(advisory))
  const unneeded = stale.map(({ advisory }) => `${advisory} is allowed but no longer found: remove it from the list`)
  return {
    ok: !reported.some(({ fails }) => fails) && stale.length === 0,
    lines: [
      ...reported.map(({ fails, line }) => `${fails ? '✗' : '·'} ${line}`),
      ...unneeded.map((line) => `✗ ${line}`),
    ],
  }
}
