import type { GateEvidence } from './gate-evidence.ts'

/** The operator's rules for gates. */
export interface GateRules {
  /** Time before a gate of mode `auto` may promote a canary, milliseconds. A day contains hours of high and of low traffic. */
  readonly promoteAfterMs: number
  /** Minimum random answers of each arm that people must have graded; their sequence is not valid with fewer. */
  readonly gradesPerArm: number
}

/** The rules and the time that belong to one evaluation. */
export interface GateTiming {
  /** Time since the epoch started, milliseconds. */
  readonly elapsedMs: number
  readonly rules: GateRules
}

/** All that a gate decides by. */
export type TimedEvidence = GateEvidence & GateTiming
