import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process that a balancer may connect to. */
export interface Backend {
  /** Origin of the process, `http://127.0.0.1:4010`. Its `/readyz` states whether it accepts new connections. */
  readonly url: string
}

/** Selects the next backend among those that are known to be ready. */
export interface Rotation {
  add(backend: Backend): void
  /** True when the backend is in the rotation. */
  includes(backend: Backend): boolean
  /** Null when no backend is in the rotation. */
  next(): Backend | null
  /** Requests the readiness of every backend. The result applies `propagationMs` later. */
  look(): Promise<void>
}

interface Seat {
  readonly backend: Backend
  seenReady: boolean
  hasTurns: boolean
}

const answerWithinMs = 1_000

export function createRotation(propagationMs: number): Rotation {
  const seats: Seat[] = []
  let turn = 0
  const lookAt = async (seat: Seat) => {
    const ready = await isReady(seat.backend)
    if (ready === seat.seenReady) return
    seat.seenReady = ready
    // Not awaited, because further checks run while a result propagates, and results arrive in their order.
    void sleep(propagationMs, null, { ref: false }).then(() => {
      seat.hasTurns = ready
    })
  }
  return {
    add: (backend) => void seats.push({ backend, seenReady: false, hasTurns: false }),
    includes: (backend) => seats.some((seat) => seat.backend.url === backend.url && seat.hasTurns),
    next() {
      const taking = seats.filter(({ hasTurns }) => hasTurns)
      turn += 1
      return taking[turn % taking.length]?.backend ?? null
    },
    async look() {
      await Promise.all(seats.map(lookAt))
    },
  }
}

/** Uses a connection of its own, like a probe. */
function isReady({ url }: Backend): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = get(`${url}/readyz`, { agent: false, timeout: answerWithinMs }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    probe.once('timeout', () => probe.destroy())
    probe.once('error', () => resolve(false))
  })
}
