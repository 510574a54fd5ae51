import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { StoredAlias } from '../aliases/alias.ts'
import type { WatchedAlias } from './watched-alias.fixture.ts'

export interface Hour {
  /** Answers of each arm. */
  readonly answers: number
  /** One in this many answers of the target is bad. */
  readonly targetFlawed: number
  readonly canaryFlawed: number
}

/** An hour of traffic, then an evaluation that finds its samples and one that reads the verdicts. */
export async function passHour(own: WatchedAlias, { answers, targetFlawed, canaryFlawed }: Hour): Promise<StoredAlias> {
  own.clock.advance(10_000)
  for (let each = 0; each < answers; each += 1) {
    own.answer('target', { verdict: each % targetFlawed === 0 ? 'fail' : 'pass' })
    own.answer('canary', { verdict: each % canaryFlawed === 0 ? 'fail' : 'pass' })
    own.clock.advance(10)
  }
  own.clock.advance(hourMs)
  await own.evaluate()
  return own.evaluate()
}
