import { compareWithCharges } from './compare-with-charges.ts'
import type { Reconciliation } from './reconciliation.ts'

const now = () => new Date('2026-11-23T12:10:00.000Z')
const result = (compared: number, isBehind: boolean): Reconciliation => ({ compared, missing: [], isBehind })

/** Compares with these answers, one after the other, and returns the times and results. */
async function compare(answers: readonly (Reconciliation | null)[], oldestAtMs: number | null = null) {
  const times: string[] = []
  const results: Reconciliation[] = []
  await compareWithCharges({
    now,
    readOldestAtMs: async () => oldestAtMs,
    onResult: (each) => results.push(each),
    async reconcile(before) {
      times.push(before.toISOString())
      return answers[times.length - 1] ?? null
    },
  })
  return { times, results }
}

it('leaves two minutes to exchanges on their way', async () => {
  const { times, results } = await compare([result(7, false)])
  expect([times, results]).toEqual([['2026-11-23T12:08:00.000Z'], [result(7, false)]])
})

it('leaves more time to exchanges behind those that wait in Redis', async () => {
  const { times } = await compare([result(7, false)], Date.parse('2026-11-23T12:01:00.000Z'))
  expect(times).toEqual(['2026-11-23T11:59:00.000Z'])
})

it('continues until no older charge is left, or another process compares', async () => {
  expect((await compare([result(5, true), result(2, false), result(9, false)])).results).toHaveLength(2)
  expect((await compare([result(5, true), null])).results).toHaveLength(1)
})
