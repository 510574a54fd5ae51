import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { stepPages } from './step-pages.ts'
import type { StepPage } from './trace-reads.ts'

const scope = { workspaceId: 'w', at: new Date() }

/** The sizes of the pages of a trace, after a check that they are its first steps in order. */
async function pagesOf(steps: number, limit: number): Promise<readonly number[]> {
  const all = Array.from({ length: steps }, (_, index) => ({ id: String(index) }) as LoggedExchange)
  const exchangesOf = async (_scope: unknown, _id: string, { behind, limit: most }: StepPage) => {
    const from = behind === null ? 0 : Number(behind.id) + 1
    return all.slice(from, from + most)
  }
  const pages: (readonly LoggedExchange[])[] = []
  for await (const page of stepPages({ exchangesOf }, scope, { traceId: 't', limit })) pages.push(page)
  expect(pages.flat()).toEqual(all.slice(0, limit))
  return pages.map(({ length }) => length)
}

it.each([
  [0, 10_000, []],
  [1, 10_000, [1]],
  [100, 10_000, [100]],
  [250, 10_000, [100, 100, 50]],
  [250, 120, [100, 20]],
  [250, 100, [100]],
])('reads a trace of %d steps, at most %d, in pages', async (steps, limit, expected) => {
  expect(await pagesOf(steps, limit)).toEqual(expected)
})
