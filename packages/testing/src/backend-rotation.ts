import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Where a balancer may send connections. */
export interface Backend {
  /** Origin of the process, `http://127.0.0.1:4010`; `/readyz` below it says whether it wants new connections. */
  readonly url: string
}

/** Whose turn it is among backends that are ready as far as is known. */
export interface Rotation {
  add(backend: Backend): void
  /** Whether it has turns. */
  includes(backend: Backend): boolean
  /** Null when no backend is in the rotation. */
  next(): Backend | null
  /** Asks every backend whether it is ready. What it says counts `propagationMs` later. */
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
    // Not awaited: looks go on while the news travels, and what was seen later arrives later.
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

/** On a connection of its own, as a probe's is. */
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
