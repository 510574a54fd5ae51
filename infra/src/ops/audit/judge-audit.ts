import { parseJson } from '@ratchet/service-kit/values/json'
import { z } from 'zod'
import { type Advisory, severities } from './advisory.ts'

/** The part of the output of `pnpm audit --json` that is read here. */
const Report = z.object({
  advisories: z.record(
    z.string(),
    z.object({
      github_advisory_id: z.string(),
      module_name: z.string(),
      severity: z.enum(severities),
      title: z.string(),
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

/** Reads what the registry answered; null when it is no report, as when the registry does not support audits. */
export function readReport(text: string): readonly Advisory[] | null {
  const report = Report.safeParse(parseJson(text))
  if (!report.success) return null
  return Object.values(report.data.advisories).map((each) => {
    const { github_advisory_id: id, module_name: name, severity, title } = each
    return { id, name, severity, title }
  })
}

/**
 * Judges an audit: a high or critical vulnerability fails it unless a current allowance exists. Others are only reported.
 *
 * @param today `2026-11-22`
 */
export function judgeAudit(
  found: readonly Advisory[],
  allowances: readonly Allowance[],
  today: string,
): AuditJudgement {
  const ids = new Set(found.map(({ id }) => id))
  const reported = found.map(({ id, name, severity, title }) => {
    const allowance = allowances.find((each) => each.advisory === id)
    const holds = allowance !== undefined && allowance.until >= today
    const why = allowance === undefined ? '' : ` (allowed until ${allowance.until}: ${allowance.reason})`
    return { fails: serious.has(severity) && !holds, line: `${severity} ${id} ${name}: ${title}${why}` }
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
