/** From the least to the most severe. */
export const severities = ['info', 'low', 'moderate', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

/** A known vulnerability of an installed package. */
export interface Advisory {
  /** `GHSA-…`, or `MAL-…` for malware. */
  readonly id: string
  /** Name of the package. */
  readonly name: string
  readonly severity: Severity
  readonly title: string
}
