import { parseEvalBenchOptions } from './options.ts'

it('measures the largest eval at two concurrencies by default', () => {
  expect(parseEvalBenchOptions([])).toEqual({
    samples: 500,
    latencyMs: 200,
    concurrencies: [16, 64],
    chatsPerSecond: 20,
  })
  const args = ['--samples', '50', '--latency-ms', '0', '--concurrency', '4', '--chats-per-second', '5']
  expect(parseEvalBenchOptions(args)).toEqual({ samples: 50, latencyMs: 0, concurrencies: [4], chatsPerSecond: 5 })
})

it.each([
  [['--samples', '4']],
  [['--samples', '501']],
  [['--latency-ms', 'long']],
  [['--concurrency', '16,']],
  [['--chats-per-second', '0']],
])('refuses %j', (args) => {
  expect(() => parseEvalBenchOptions(args)).toThrow()
})
