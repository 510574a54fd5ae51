/** Stops calls to a tool whose last calls failed, and lets one through from time to time. */
export interface Breaker {
  /** Whether a tool may be called now. True makes the caller report the outcome. */
  mayCall(versionId: string, nowMs: number): boolean
  report(versionId: string, outcome: 'answered' | 'failed', nowMs: number): void
}

interface State {
  /** The last outcomes, the newest at the end. */
  readonly outcomes: ('answered' | 'failed')[]
  /** When calls were stopped; null while they are not. */
  stoppedAtMs: number | null
}

/** Outcomes that are looked at, and how many of them must have failed. */
const window = 10
const maxFailed = 8
/** Until one call is let through. */
const pauseMs = 15_000

/** Of this process. Each other one finds out for itself, with a few calls. */
export function createBreaker(): Breaker {
  const states = new Map<string, State>()
  return {
    mayCall(versionId, nowMs) {
      const state = states.get(versionId)
      if (state === undefined || state.stoppedAtMs === null) return true
      if (nowMs - state.stoppedAtMs < pauseMs) return false
      // The next one has to wait for the outcome of this one, or as long again.
      state.stoppedAtMs = nowMs
      return true
    },
    report(versionId, outcome, nowMs) {
      const state = states.get(versionId) ?? { outcomes: [], stoppedAtMs: null }
      if (outcome === 'answered' && state.stoppedAtMs !== null) {
        states.delete(versionId)
        return
      }
      state.outcomes.push(outcome)
      if (state.outcomes.length > window) state.outcomes.shift()
      const failures = state.outcomes.filter((each) => each === 'failed').length
      if (failures >= maxFailed) state.stoppedAtMs = nowMs
      // A tool that answers always needs no memory.
      if (failures === 0) states.delete(versionId)
      else states.set(versionId, state)
    },
  }
}
