import { parseWorkerBenchOptions } from './options.ts'

it('measures one, two and four workers by default', () => {
  expect(parseWorkerBenchOptions([])).toEqual({
    judgements: 960,
    latencyMs: 1_000,
    concurrency: 16,
    workers: [1, 2, 4],
  })
  const args = ['--judgements', '50', '--latency-ms', '0', '--concurrency', '4', '--workers', '3']
  expect(parseWorkerBenchOptions(args)).toEqual({ judgements: 50, latencyMs: 0, concurrency: 4, workers: [3] })
})

it.each([[['--judgements', '2001']], [['--workers', '0']], [['--workers', '1,']], [['--latency-ms', '-1']]])(
  'refuses %j',
  (args) => {
    expect(() => parseWorkerBenchOptions(args)).toThrow()
  },
)
