import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgeRun, NewRun } from '../runs/judge-run.ts'
import type { Evidence } from './calibration-result.ts'

export type Cell = 'tp' | 'fn' | 'fp' | 'tn'

/** A row of a calibration with what was graded. */
export interface CalibrationRow {
  readonly labelId: string
  readonly human: Verdict
  readonly judge: Verdict | null
  readonly explanation: string | null
  readonly weight: number
  /** JSON texts. */
  readonly messages: string
  readonly response: string
}

export interface RowFilter {
  readonly runId: string
  readonly cell?: Cell | undefined
  readonly limit: number
  readonly offset: number
}

export interface CalibrationProgress {
  readonly done: number
  readonly costNano: bigint
}

/** What of calibrations is more than a run. */
export interface CalibrationStore {
  /** Begins one; null while another one of the criterion runs. */
  start(run: NewRun): Promise<JudgeRun | null>
  /** The id of the one that runs. */
  running(criterionId: string): Promise<string | null>
  /** Marks one as no longer of the criterion's instrument, if it is not finished. */
  void(runId: string, why: { readonly reason: string; readonly at: Date }): Promise<void>
  /** Of each criterion that has it: what its newest calibration that counts says. */
  evidence(criterionIds: readonly string[]): Promise<ReadonlyMap<string, Evidence>>
  /** How far each is; those without a judgement are left out. */
  progress(runIds: readonly string[]): Promise<ReadonlyMap<string, CalibrationProgress>>
  /** Calibrations of an instrument that are DONE. */
  countDone(of: { readonly criterionId: string; readonly instrument: number }): Promise<number>
  /** Graded items that a run has judged, with what people say of them. */
  judgedItems(runId: string): Promise<readonly { readonly itemKey: string; readonly human: Verdict }[]>
  /** Why judgements of a run were given up, the most frequent reason first. */
  deadLetterReasons(runId: string): Promise<readonly { readonly reason: string; readonly count: number }[]>
  /** Rows that were judged. A page of large ones ends early. */
  rows(filter: RowFilter): Promise<{ readonly total: number; readonly rows: readonly CalibrationRow[] }>
  /** What online judgements of each criterion have cost since a moment, nano-dollars; those without any are left out. */
  onlineSpent(criterionIds: readonly string[], since: Date): Promise<ReadonlyMap<string, bigint>>
}
