import { addCounts, countTests, failedTests, formatTotal } from './jest-summary.ts'

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

it('lists failed tests and files that could not be loaded', () => {
  const tests = [
    { fullName: 'a sum adds', ancestorTitles: ['a sum'], status: 'failed', failureMessages: ['expected 2'] },
    { fullName: 'a sum is shown', ancestorTitles: ['a sum'], status: 'passed' },
  ]
  const json = JSON.stringify({
    numPassedTests: 1,
    testResults: [
      { name: '/a.test.ts', message: 'a sum adds: expected 2', assertionResults: tests },
      { name: '/b.test.ts', message: 'Unexpected token', assertionResults: [] },
    ],
  })
  expect(failedTests(json)).toEqual([
    { file: '/a.test.ts', name: 'a sum adds', message: 'expected 2' },
    { file: '/b.test.ts', name: '', message: 'Unexpected token' },
  ])
})
