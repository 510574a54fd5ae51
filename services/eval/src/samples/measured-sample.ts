import type { JudgedPair } from '../judging/pair-verdict.ts'

/** The measurements of one sample that a report needs. */
export interface MeasuredSample {
  readonly id: string
  /** Samples of one prompt or of one agent run share a cluster, because they are not independent. */
  readonly cluster: string
  /** Id of the agent run; null for other prompts. */
  readonly traceId: string | null
  /** Family of the system prompt; null when unknown. */
  readonly segment: string | null
  /** Whether no worker will change it again; failed samples are finished too. */
  readonly isFinished: boolean
  /** The baseline's answer, then the candidates' in their order. Null for a model without a result. */
  readonly answers: readonly (MeasuredAnswer | null)[]
  /** One for each candidate, in their order; empty when the sample is unfinished or failed. */
  readonly pairs: readonly JudgedPair[]
  /** For a panel: the pairs of every judge, by candidate. */
  readonly judgePairs?: readonly (readonly JudgedPair[])[]
}

export interface MeasuredAnswer {
  readonly isAnswered: boolean
  /** Billed cost, nano-dollars; 0 for failed answers. Null for a stored answer of unknown cost. */
  readonly costNano: bigint | null
  /** From the request to the end of the answer, milliseconds; null when unknown. */
  readonly latencyMs: number | null
  /** Characters as the judge gets them; null without an answer, and for answers of older releases. */
  readonly textLength: number | null
  /** Results by the assertion's name; empty without an answer. */
  readonly assertions: Readonly<Record<string, boolean>>
}
