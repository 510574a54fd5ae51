/**
 * Loaded before a process (`--import`, with `--expose-gc`): at SIGUSR2 it lets go of what nobody holds and prints what it
 * holds then, in bytes.
 */
process.on('SIGUSR2', async () => {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  process.stdout.write(`${JSON.stringify({ event: 'heap', held: heapUsed + external, rss })}\n`)
})
