import { findSegment } from '@ratchet/contracts/internal-logs'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import type { InferenceConfig } from './config.ts'
import type { InferenceEvents } from './events.ts'
import { createFamilyFinder, type FamilyFinder, maxCalls } from './routing/family-finder.ts'

export interface FamiliesContext {
  readonly config: InferenceConfig
  readonly lifecycle: Lifecycle
  readonly events: InferenceEvents
  readonly now: () => Date
}

/** Requests wait for these calls, and after one without an answer none is made for a second. */
const clocks = { firstByteMs: 1_000, idleMs: 1_000, totalMs: 1_000 }

/** Finds the prompt families of requests, by the rules of the log. */
export function startFamilies({ config, lifecycle, events, now }: FamiliesContext): FamilyFinder {
  const { LOGGING_URL: url, LOGGING_KEYS: keys } = config
  const logging = connectService(
    { audience: 'logging', url, keys, connections: maxCalls, clocks },
    { ...lifecycle, now },
  )
  return createFamilyFinder({
    async ask(identity, messages) {
      const found = await logging.call(findSegment, { body: { messages: [...messages] } }, identity)
      return { segment: found.segment, isFinal: found.is_final }
    },
    clockMs: () => performance.now(),
    onEvent: events.families,
  })
}
