import { fixedClock } from '@ratchet/testing/fixed-clock'
import { abuseGuardContract } from './abuse-guard.contract.ts'
import { memoryAbuseGuard } from './memory-abuse-guard.ts'

abuseGuardContract(() => {
  const clock = fixedClock()
  const store = memoryAbuseGuard(clock.now)
  return {
    store,
    pass: async (seconds) => clock.advance(seconds * 1_000),
    held: async (id) => store.held(id),
    allow: async (id, calls) => store.allow(id, calls),
  }
})
