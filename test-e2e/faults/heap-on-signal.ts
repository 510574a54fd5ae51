import { elapse } from '@ratchet/testing/elapse'

/**
 * Loaded before a process (`--import`, with `--expose-gc`): at SIGUSR2 it runs the garbage collector and prints the number of
 * bytes in use.
 */
process.on('SIGUSR2', async () => {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    // Callbacks of the event loop close handles of collected objects.
    await elapse(20)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  process.stdout.write(`${JSON.stringify({ event: 'heap', held: heapUsed + external, rss })}\n`)
})
