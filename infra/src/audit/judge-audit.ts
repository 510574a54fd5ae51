import { z } from 'zod'

/** What the registry says against the packages in use, as `pnpm audit --json` prints it. */
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

/** A vulnerability that is known and does not concern this product, for a time. */
export interface Allowance {
  /** `GHSA-…`. */
  readonly advisory: string
  /** Why what it describes cannot happen here. */
  readonly reason: string
  /** Day on which somebody has to look again, `2027-01-31`. */
  readonly until: string
}

export interface AuditJudgement {
  readonly ok: boolean
  /** For people, one line each. */
  readonly lines: readonly string[]
}

/** What fails an audit. */
const serious = new Set(['high', 'critical'])

/**
 * Judges an audit: what is high or critical fails it unless it is allowed and the allowance still holds. The rest is told.
 *
 * @param today `2026-11-22`
 * @returns null when the text is no report, as where the registry does not answer audits
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
  const unneeded = stale.map(({ advisory }) => `${advisory} is allowed and is not found any more: take it off the list`)
  return {
    ok: !reported.some(({ fails }) => fails) && stale.length === 0,
    lines: [
      ...reported.map(({ fails, line }) => `${fails ? '✗' : '·'} ${line}`),
      ...unneeded.map((line) => `✗ ${line}`),
    ],
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
