import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { maxExamples, maxTrainingBytes } from './training-source.ts'

/** Of the heap of a process that reads; contents and what is stored of them are outside of it. */
const heapMegabytes = 160

it('reads the largest data in little memory, and in turns that do not keep other work waiting', async () => {
  const fixture = path.join(import.meta.dirname, 'read-large.fixture.ts')
  const flags = [`--max-old-space-size=${heapMegabytes}`, '--max-semi-space-size=8']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, fixture], {
    env: { PATH: process.env.PATH },
  })
  const { examples, peakBytes, longestMs } = JSON.parse(stdout)
  expect(examples).toBe(2 * maxExamples)
  // Two contents, two copies, the heap, and 100 MB of code.
  expect(peakBytes).toBeLessThan(4 * maxTrainingBytes + (heapMegabytes + 100) * 1_048_576)
  expect(longestMs).toBeLessThan(50)
})
