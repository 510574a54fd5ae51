import type { FailedTest } from './jest-summary.ts'
import type { JestRun } from './run-jest.ts'
import { trySecondTime } from './second-try.ts'

const failure = (file: string, name = 'works'): FailedTest => ({ file, name, message: 'too late' })
const runWith = (passed: number, failures: readonly FailedTest[], failed = failures.length): JestRun => ({
  counts: { passed, failed },
  output: '',
  failures,
  groups: [],
})

/** Tries a run again; returns the result and the files of the second run. */
async function tried(first: JestRun, second: JestRun = runWith(9, [])) {
  const files: string[] = []
  const result = await trySecondTime(first, async (again) => {
    files.push(...again)
    return second
  })
  const { counts, failures, unstable } = result
  return { files, counts, failures, unstable }
}

it('does not repeat a run without failures', async () => {
  expect(await tried(runWith(5, []))).toMatchObject({ files: [], counts: { passed: 5, failed: 0 }, unstable: [] })
})

it('reports a test that passes the second time as unstable', async () => {
  const failures = [failure('a.ts'), failure('a.ts', 'ends'), failure('b.ts')]
  expect(await tried(runWith(5, failures))).toEqual({
    files: ['a.ts', 'b.ts'],
    counts: { passed: 8, failed: 0 },
    failures: [],
    unstable: failures,
  })
})

it('fails when a test fails twice, and when another one of its file fails the second time', async () => {
  const failures = [failure('a.ts'), failure('b.ts')]
  expect(await tried(runWith(5, failures), runWith(7, [failure('b.ts')]))).toMatchObject({
    counts: { passed: 6, failed: 1 },
    failures: [failure('b.ts')],
    unstable: [failure('a.ts')],
  })
  expect((await tried(runWith(5, [failure('a.ts')]), runWith(7, [failure('a.ts', 'other')]))).counts.failed).toBe(1)
})

it('does not repeat many failed files, or a run that failed as a whole', async () => {
  const many = Array.from({ length: 26 }, (_, each) => failure(`${each}.ts`))
  expect(await tried(runWith(5, many))).toMatchObject({ files: [], counts: { failed: 26 } })
  expect(await tried(runWith(5, [failure('a.ts')], 2))).toMatchObject({ files: [], counts: { failed: 2 } })
})
