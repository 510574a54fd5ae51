/** The rates of one procedure, as a document shows them. */
export interface RatesSection {
  readonly procedure: string
  /** Path of its simulation in the repository; empty when the document does not say. */
  readonly file: string
  /** Day of the run, YYYY-MM-DD. */
  readonly day: string
  readonly rows: readonly RatesRow[]
}

export interface RatesRow {
  readonly world: string
  readonly promised: string
  /** With its Monte-Carlo standard error. */
  readonly rate: string
  readonly runs: string
}
