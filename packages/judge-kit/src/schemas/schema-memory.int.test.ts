import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

it('keeps a bounded part of ever new schemas in memory', async () => {
  const file = new URL('./many-schemas.fixture.ts', import.meta.url)
  const thread = new Worker(file, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 80 } })
  // `once` rejects when the thread runs out of memory.
  expect(await once(thread, 'exit')).toEqual([0])
}, 120_000)
