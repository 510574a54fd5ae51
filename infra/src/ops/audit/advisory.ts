/** In the order of their weight. */
export const severities = ['info', 'low', 'moderate', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]

/** A known vulnerability of an installed package. */
export interface Advisory {
  /** `GHSA-…`, or `MAL-…` for malware. */
  readonly id: string
  /** The package. */
  readonly name: string
  readonly severity: Severity
  readonly title: string
}
