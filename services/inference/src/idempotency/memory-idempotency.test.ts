import { fixedClock } from '@ratchet/testing/fixed-clock'
import { idempotencyContract } from './idempotency.contract.ts'
import { createMemoryIdempotencyStore } from './memory-idempotency.ts'

idempotencyContract('idempotency in memory', async (maxFreeBytes) => {
  const clock = fixedClock()
  const store = createMemoryIdempotencyStore({ ...clock, maxFreeBytes })
  return {
    store,
    endLeases: async () => clock.advance(30_000),
    pass: async (ms) => clock.advance(ms),
    sweep: async () => store.sweep(),
  }
})
