import { fixedClock } from '@ratchet/testing/fixed-clock'
import { createMemoryResponseCache } from './memory-response-cache.ts'
import { responseCacheContract } from './response-cache.contract.ts'

responseCacheContract('memory response cache', async () => {
  const clock = fixedClock()
  return { cache: createMemoryResponseCache(clock), pass: async (ms) => clock.advance(ms) }
})
