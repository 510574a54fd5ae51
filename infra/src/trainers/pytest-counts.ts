import type { TestCounts } from '../test/jest-summary.ts'

/**
 * Counts the tests of a run of pytest by its last line, such as `2 failed, 41 passed, 1 error in 61.20s (0:01:01)`.
 *
 * @param ok whether pytest exited with 0; a run that did not has at least one failure
 */
export function countsOf(output: string, ok: boolean): TestCounts {
  const last = output.trim().split('\n').at(-1) ?? ''
  const count = (what: RegExp) => Number(what.exec(last)?.[1] ?? 0)
  const failed = count(/(\d+) failed/) + count(/(\d+) errors?/)
  return { passed: count(/(\d+) passed/), failed: ok ? failed : Math.max(failed, 1) }
}
