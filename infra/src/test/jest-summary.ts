/** Counts of one run of Jest. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
}

/** The part of Jest's `--json` output that counts. */
interface JestResult {
  readonly numPassedTests: number
  readonly numFailedTests: number
  /** Files that could not be loaded. */
  readonly numRuntimeErrorTestSuites: number
  readonly success: boolean
  readonly testResults?: readonly JestFile[]
}

interface JestFile {
  /** The path of the file. */
  readonly name?: string
  /** Why the file could not be loaded, else what its failed tests printed. */
  readonly message?: string
  readonly assertionResults?: readonly JestTest[]
}

interface JestTest {
  readonly ancestorTitles: readonly string[]
  readonly status: string
  /** Milliseconds; null for a test that did not run. */
  readonly duration?: number | null
  readonly fullName?: string
  readonly failureMessages?: readonly string[]
}

/** The tests of one outermost `describe` together. */
export interface GroupResult {
  readonly title: string
  readonly passed: number
  readonly failed: number
  /** Duration of the tests, without set-up. */
  readonly durationMs: number
}

/** Reads the result of each outermost `describe` from Jest's `--json` output, sorted by title. */
export function groupResults(json: string): readonly GroupResult[] {
  const groups = new Map<string, GroupResult>()
  for (const { assertionResults = [] } of parse(json)?.testResults ?? []) {
    for (const { ancestorTitles, status, duration } of assertionResults) {
      const title = ancestorTitles[0] ?? ''
      const { passed, failed, durationMs } = groups.get(title) ?? { passed: 0, failed: 0, durationMs: 0 }
      groups.set(title, {
        title,
        passed: passed + (status === 'passed' ? 1 : 0),
        failed: failed + (status === 'failed' ? 1 : 0),
        durationMs: durationMs + (duration ?? 0),
      })
    }
  }
  return [...groups.values()].toSorted((a, b) => a.title.localeCompare(b.title, 'en', { numeric: true }))
}

/** A test that failed, or a file that could not be loaded. */
export interface FailedTest {
  /** Absolute path. */
  readonly file: string
  /** The name of the test with those of its groups; empty for a file that could not be loaded. */
  readonly name: string
  readonly message: string
}

/** Reads the failures from Jest's `--json` output. */
export function failedTests(json: string): readonly FailedTest[] {
  return (parse(json)?.testResults ?? []).flatMap(({ name: file = '', message = '', assertionResults = [] }) => {
    if (assertionResults.length === 0 && message !== '') return [{ file, name: '', message }]
    return assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName = '', failureMessages = [] }) => ({ file, name: fullName, message: failureMessages[0] ?? '' }))
  })
}

/**
 * Reads Jest's `--json` output.
 *
 * @returns null when the text is not valid output, as after a crash of Jest itself
 */
export function countTests(json: string): TestCounts | null {
  const result = parse(json)
  if (result === null) return null
  const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites, success } = result
  const failed = numFailedTests + numRuntimeErrorTestSuites
  // Jest can fail without a failing test, such as when an error escapes after the last one.
  return { passed, failed: success ? failed : Math.max(failed, 1) }
}

/** The last line of a run. */
export function formatTotal({ passed, failed }: TestCounts): string {
  return `${passed} passed, ${failed} failed`
}

export function addCounts(a: TestCounts, b: TestCounts): TestCounts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed }
}

function parse(json: string): JestResult | null {
  try {
    const result = JSON.parse(json) as Partial<JestResult> | null
    return typeof result?.numPassedTests === 'number' ? (result as JestResult) : null
  } catch {
    return null
  }
}
