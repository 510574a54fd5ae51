import { seededRandom } from '@ratchet/testing/seeded-random'

export const mutations = [
  'the clock is noted after the answer',
  'a read that began before a change fills the cache',
  'a version is acknowledged before it is applied',
  'a lease that was ended is renewed',
  'a lease may be ignored after two seconds',
  'a failover keeps the timeline',
  'versions become visible out of order',
  'the wall clock is not read',
] as const
export type Mutation = (typeof mutations)[number]

export interface SimulatedWorld {
  /** Milliseconds of real time since the start, which no process can read. */
  now(): number
  after(ms: number, work: () => void): void
  run(untilMs: number): void
  random(): number
  upTo(max: number): number
  /** Time that a message takes: mostly little, sometimes enough to be overtaken by anything. */
  delayMs(): number
  isLost(): boolean
  /** Whether this rule of the protocol is broken. */
  breaks(rule: Mutation): boolean
  readonly counts: { stale: number; hits: number; reads: number }
  /** The newest role whose command has returned. Later requests must not get an older one. */
  returnedRole: number
}

export function createSimulatedWorld(seed: number, mutation: Mutation | null): SimulatedWorld {
  const random = seededRandom(seed)
  const events: { readonly at: number; readonly work: () => void }[] = []
  let now = 0
  const upTo = (max: number) => random() * max
  return {
    now: () => now,
    after: (ms, work) => void events.push({ at: now + ms, work }),
    run(untilMs) {
      while (now < untilMs) {
        const next = events.reduce((first, event) => (event.at < first.at ? event : first))
        events.splice(events.indexOf(next), 1)
        now = next.at
        next.work()
      }
    },
    random,
    upTo,
    delayMs: () => (random() < 0.85 ? upTo(8) : upTo(2_500)),
    isLost: () => random() < 0.05,
    breaks: (rule) => mutation === rule,
    counts: { stale: 0, hits: 0, reads: 0 },
    returnedRole: 0,
  }
}
