import type { FailedTest } from './jest-summary.ts'
import type { JestRun } from './run-jest.ts'

/** More failed files than this are not chance. */
const maxFiles = 25

export interface TriedRun extends JestRun {
  /** Tests that failed, and passed when their files ran again alone. Each is a defect of the test or of the product. */
  readonly unstable: readonly FailedTest[]
}

/**
 * Runs the files of failed tests once more, one after the other. Tests of whole fleets share the processors with other
 * tests, so a time limit can pass on a busy machine. A test that passes only the second time is reported as unstable.
 *
 * @param again runs these files, given by their absolute paths
 */
export async function trySecondTime(
  first: JestRun,
  again: (files: readonly string[]) => Promise<JestRun>,
): Promise<TriedRun> {
  const files = [...new Set(first.failures.map(({ file }) => file))]
  // A run can also fail as a whole, without a failed test.
  const isExplained = first.failures.length === first.counts.failed
  if (files.length === 0 || files.length > maxFiles || !isExplained) return { ...first, unstable: [] }
  const second = await again(files)
  const failedAgain = new Set(second.failures.map(keyOf))
  const { failed } = second.counts
  const counts = { passed: first.counts.passed + Math.max(0, first.counts.failed - failed), failed }
  const unstable = first.failures.filter((failure) => !failedAgain.has(keyOf(failure)))
  const output = failed === 0 ? first.output : `${first.output}\n\nThe second time:\n${second.output}`
  return { ...first, counts, output, failures: second.failures, unstable }
}

function keyOf({ file, name }: FailedTest): string {
  return `${file} ${name}`
}
