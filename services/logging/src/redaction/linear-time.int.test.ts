import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { growth, type Measured } from './measure-redaction.fixture.ts'

/** Maximum milliseconds for 512 KB of any text, on an idle core of 3 GHz. */
const budgetMs = 50

/** Maximum milliseconds for a whole exchange that is redacted without the thread, where it delays the worker's probes. */
const smallBudgetMs = 24

let measured: Measured
beforeAll(async () => {
  const program = path.join(import.meta.dirname, 'measure-redaction.fixture.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  measured = JSON.parse(stdout)
}, 300_000)

it('measures every kind of text', () => {
  expect(measured.timings.length).toBeGreaterThan(60)
})

it('takes linear time for every kind of text', () => {
  // Twice what linear time takes, because other load varies during a run, and some milliseconds of the clock.
  const slow = measured.timings.filter(({ short, long }) => long > 2 * growth * short + 10)
  expect(slow).toEqual([])
})

it('redacts 512 KB of every kind of text within its budget', () => {
  // Doubled, because other load varies during a run.
  const slow = measured.timings.filter(({ long }) => long > 2 * budgetMs * measured.slowness)
  expect(slow).toEqual([])
})

it('redacts a small exchange of every kind of text within its budget', () => {
  // Doubled, because other load varies during a run.
  const slow = measured.timings.filter(({ small }) => small > 2 * smallBudgetMs * measured.slowness)
  expect(slow).toEqual([])
})
