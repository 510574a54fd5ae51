import { type FaultRun, faultReport } from './fault-report.ts'

const run: FaultRun = {
  seed: 7,
  ids: ['F2', 'F19'],
  at: new Date('2026-11-22T12:00:00Z'),
  seconds: 125,
  machine: 'linux, 2 cores',
  notes: [
    { id: 'F19', title: 'Redis stops', promise: 'chat continues', seen: { 'requests, all 200': 50 } },
    { id: 'F2', title: 'a reader | stops', promise: 'memory stays', seen: {} },
  ],
  groups: [
    { title: 'F2 a reader | stops', passed: 2, failed: 0, durationMs: 1_234 },
    { title: 'F19 Redis stops', passed: 2, failed: 1, durationMs: 60_000 },
  ],
}

it('lists every fault in the order of their numbers, and marks those that failed', () => {
  const rows = faultReport(run)
    .split('\n')
    .filter((line) => line.startsWith('| F'))
  expect(rows).toEqual([
    '| F2 | a reader \\| stops | memory stays |  | 1.2 | ✓ |',
    '| F19 | Redis stops | chat continues | requests, all 200: 50 | 60.0 | ✗ |',
  ])
})

it('marks a requested fault without results as failed', () => {
  expect(faultReport({ ...run, ids: ['F2', 'F19', 'F26'] })).toContain('| F26 | | | not run on this machine | | ✗ |')
})

it('names the command that repeats the run', () => {
  expect(faultReport(run)).toContain('`npm run test:faults -- --seed 7` on 2026-11-22 in 2 min 5 s on linux, 2 cores')
  expect(faultReport(run)).toContain('4 passed, 1 failed')
})

it('marks a fault as failed when its tests did not run', () => {
  expect(faultReport({ ...run, groups: [] })).toContain(
    '| F19 | Redis stops | chat continues | requests, all 200: 50 | 0.0 | ✗ |',
  )
})
