import type { Verdict } from '@ratchet/contracts/criteria'
import type { GradeKey } from '../judgements/verdict-reads.ts'

/** A judge as it was when it looked. */
export interface GateInstrument {
  readonly criterionId: string
  readonly instrument: number
}

export interface RequestedVerdicts extends GateInstrument {
  /** UUIDs of the gate's own judgements. */
  readonly ids: readonly string[]
  /** Exchanges for which what the monitor made of them counts as well. */
  readonly monitored: readonly string[]
}

/** What became of a look at an exchange. */
export interface GateVerdict {
  readonly logId: string
  readonly state: 'pending' | 'done' | 'failed'
  /** Null unless it is done. */
  readonly verdict: Verdict | null
  /** Why there is none and never will be: the failure of the judgement, or `poisoned`. */
  readonly failure: string | null
}

/** What gates ask of judgements. Exchanges are log UUIDs. */
export interface GateReads {
  /** Which of these the monitor has the judge look at anyway: a gate takes its verdicts and pays nothing. */
  monitored(judge: GateInstrument, logIds: readonly string[]): Promise<ReadonlySet<string>>
  /** What is known, once for an exchange. What the monitor left is not known, unless the gate looks at it itself. */
  verdicts(requested: RequestedVerdicts): Promise<readonly GateVerdict[]>
  /** Majorities of all grades, by log UUID. */
  grades(key: GradeKey, logIds: readonly string[]): Promise<ReadonlyMap<string, Verdict>>
}
