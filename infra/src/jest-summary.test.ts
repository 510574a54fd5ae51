import { addCounts, afterSecondLook, countTests, failedFiles, formatTotal } from './jest-summary.ts'

function output(counts: Record<string, unknown>): string {
  return JSON.stringify({
    numPassedTests: 0,
    numFailedTests: 0,
    numRuntimeErrorTestSuites: 0,
    success: true,
    ...counts,
  })
}

it('counts what passed and what failed', () => {
  expect(countTests(output({ numPassedTests: 12, numFailedTests: 2, success: false }))).toEqual({
    passed: 12,
    failed: 2,
  })
})

it('counts a file that could not be loaded as one failure', () => {
  const json = output({ numPassedTests: 3, numRuntimeErrorTestSuites: 1, success: false })
  expect(countTests(json)).toEqual({ passed: 3, failed: 1 })
})

it('never calls a run green that Jest calls red', () => {
  expect(countTests(output({ numPassedTests: 3, success: false }))).toEqual({ passed: 3, failed: 1 })
})

it.each(['', '{"numPassed', 'null', '{}'])('has no counts for %j', (json) => {
  expect(countTests(json)).toBeNull()
})

it('names the files in which something failed', () => {
  const testResults = [
    { name: '/a.test.ts', status: 'passed' },
    { name: '/b.test.ts', status: 'failed' },
  ]
  expect(failedFiles(output({ testResults, success: false }))).toEqual(['/b.test.ts'])
  expect(failedFiles('')).toEqual([])
})

it.each([
  ['all of it passed then', { passed: 40, failed: 0 }, { passed: 999, failed: 0 }],
  ['it failed again', { passed: 38, failed: 2 }, { passed: 997, failed: 2 }],
  ['something else failed too', { passed: 30, failed: 10 }, { passed: 997, failed: 2 }],
])('adds a second look: %s', (_name, second, together) => {
  expect(afterSecondLook({ passed: 997, failed: 2 }, second)).toEqual(together)
})

it('adds runs up to one line', () => {
  const total = addCounts({ passed: 400, failed: 0 }, { passed: 71, failed: 1 })
  expect(formatTotal(total)).toBe('471 passed, 1 failed')
})
