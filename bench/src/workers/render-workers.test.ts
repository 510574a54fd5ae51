import { renderWorkers } from './render-workers.ts'

it('compares throughput with that of one worker', () => {
  const figures = [
    { workers: 1, seconds: 10, judgements: 100, cpuMs: { edge: 0, 'judging-worker': 4 }, peakMb: 120.4 },
    { workers: 4, seconds: 2.5, judgements: 100, cpuMs: { edge: 0, 'judging-worker': 5 }, peakMb: null },
  ]
  const about = {
    judgements: 100,
    latencyMs: 1_000,
    concurrency: 10,
    workers: [1, 4],
    date: 'd',
    machine: 'm',
    cores: 2,
  }

  const lines = renderWorkers({ ...about, figures }).split('\n')

  expect(lines).toContain('| 1 | 10.0 | 10.0 | 10.0 | 1.00× | 120 |')
  expect(lines).toContain('| 4 | 3.0 | 2.5 | 40.0 | 1.00× | – |')
  expect(lines).toContain('| judging-worker | 4.00 | 5.00 |')
  expect(lines).toContain('| all | 4.00 | 5.00 |')
})
