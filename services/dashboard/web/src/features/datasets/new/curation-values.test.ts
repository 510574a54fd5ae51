import { CurateFromLogs, CurationSummary } from '@ratchet/contracts/datasets'
import { curationBody, firstCuration, partsOf } from './curation-values.ts'

it('makes a body that the contract accepts', () => {
  const body = curationBody({ ...firstCuration, criterionId: 'crit_1', maxExamples: 50 }, { tag: 'x', q: undefined })
  expect(CurateFromLogs.parse({ name: 'n', ...body })).toMatchObject({
    filters: { tag: 'x' },
    criterion_id: 'crit_1',
    verdict: 'pass',
    holdout_pct: 10,
    max_examples: 50,
  })
  expect(curationBody(firstCuration, {})).not.toHaveProperty('verdict')
})

it('divides what matched into parts that add up to it', () => {
  const dropped = Object.fromEntries(CurationSummary.shape.dropped.keyof().options.map((name, at) => [name, at]))
  const parts = partsOf({ kept: 5, dropped } as never)
  expect(parts).toHaveLength(11)
  expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(5 + 45)
})
