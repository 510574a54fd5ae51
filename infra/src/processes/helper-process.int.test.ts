import path from 'node:path'
import { ReadableError } from '../terminal/readable-error.ts'
import type { FixtureFunctions } from './helper-process.fixture.ts'
import { type HelperProcess, startHelperProcess } from './helper-process.ts'

let helper: HelperProcess<FixtureFunctions>

beforeEach(() => {
  helper = startHelperProcess(path.join(import.meta.dirname, 'helper-process.fixture.ts'))
})

afterEach(() => helper.end())

it('runs functions in another process, and returns their results and errors', async () => {
  expect([await helper.call('double', 3), await helper.call('double', 5)]).toEqual([6, 10])
  await expect(helper.call('refuse', 'no room')).rejects.toEqual(new ReadableError('no room'))
  const failure = await helper.call('fail', 'of the wrong type').catch((error: unknown) => error)
  expect(failure).not.toBeInstanceOf(ReadableError)
  expect(String((failure as Error).stack)).toMatch(/of the wrong type[\s\S]*helper-process\.fixture\.ts/)
  expect(await helper.call('double', 7)).toBe(14)
})

it('says so when the process ends before it answers', async () => {
  await expect(helper.call('end', undefined)).rejects.toThrow(ReadableError)
  await expect(helper.call('double', 3)).rejects.toThrow(ReadableError)
})
