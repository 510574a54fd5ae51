export interface HealthOptions {
  /** Maximum calls in flight. */
  readonly concurrencyMax: number
  /** Milliseconds from any fixed point. */
  readonly clockMs: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly onEjected: (forMs: number) => void
}

/** Consecutive failures after which a deployment is ejected. */
const failuresInARow = 5
const firstEjectionMs = 30_000
const maxEjectionMs = 300_000
/** Spreads the ends of ejections over several processes. */
const jitter = 0.2

/**
 * The state of a deployment in one process: its calls in flight, and its health. After five consecutive failures it is
 * ejected for 30 s, each further time for 30 s more, up to five minutes. After it returns, a single failure ejects it
 * again until a call has succeeded.
 */
export interface DeploymentHealth {
  readonly inFlight: number
  /** Takes a place for one call; false when all are taken. */
  tryEnter(): boolean
  /** The call ended. Throttling, a refusal and an abort by the gateway say nothing about the deployment's health. */
  leave(outcome: 'succeeded' | 'failed' | 'neither'): void
  isEjected(): boolean
}

export function createDeploymentHealth(options: HealthOptions): DeploymentHealth {
  let inFlight = 0
  let failures = 0
  let ejections = 0
  let ejectedUntilMs = Number.NEGATIVE_INFINITY

  function eject(): void {
    ejections += 1
    const forMs = Math.min(firstEjectionMs * ejections, maxEjectionMs) * (1 + jitter * options.random())
    ejectedUntilMs = options.clockMs() + forMs
    failures = failuresInARow - 1
    options.onEjected(forMs)
  }

  return {
    get inFlight() {
      return inFlight
    },
    tryEnter() {
      if (inFlight >= options.concurrencyMax) return false
      inFlight += 1
      return true
    },
    leave(outcome) {
      inFlight -= 1
      if (outcome === 'succeeded') {
        failures = 0
        ejections = 0
        ejectedUntilMs = Number.NEGATIVE_INFINITY
      } else if (outcome === 'failed') {
        failures += 1
        if (failures >= failuresInARow && options.clockMs() >= ejectedUntilMs) eject()
      }
    },
    isEjected: () => options.clockMs() < ejectedUntilMs,
  }
}
