import { countsOf } from './pytest-counts.ts'

it('counts by the last line, and errors as failures', () => {
  const output = 'FAILED tests/a.py\n=== 2 failed, 41 passed, 1 skipped, 3 errors in 61.20s (0:01:01) ===\n'
  expect(countsOf(output, false)).toEqual({ passed: 41, failed: 5 })
  expect(countsOf('40 passed in 3.2s', true)).toEqual({ passed: 40, failed: 0 })
})

it('counts a run without a last line as a failure', () => {
  expect(countsOf('Traceback: no module named torch', false)).toEqual({ passed: 0, failed: 1 })
  expect(countsOf('', true)).toEqual({ passed: 0, failed: 0 })
})
