import { addCounts, countTests, formatTotal } from './jest-summary.ts'

function output(counts: Record<string, unknown>): string {
  return JSON.stringify({
    numPassedTests: 0,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    success: true,
    ...counts,
  })
}

it('counts passed and failed tests', () => {
  expect(countTests(output({ numPassedTests: 12, numFailedTests: 2, success: false }))).toEqual({
    passed: 12,
    failed: 2,
  })
})

it('counts a file that could not be loaded as one failure', () => {
  const json = output({ numPassedTests: 3, numRuntimeErrorTestSuites: 1, success: false })
  expect(countTests(json)).toEqual({ passed: 3, failed: 1 })
})

it('reports a failure when Jest fails without a failed test', () => {
  expect(countTests(output({ numPassedTests: 3, success: false }))).toEqual({ passed: 3, failed: 1 })
})

it.each(['', '{"numPassed', 'null', '{}'])('returns null for %j', (json) => {
  expect(countTests(json)).toBeNull()
})

it('adds runs up to one line', () => {
  const total = addCounts({ passed: 400, failed: 0 }, { passed: 71, failed: 1 })
  expect(formatTotal(total)).toBe('471 passed, 1 failed')
})
