import { variantsOf } from './variants.ts'

it('groups exchanges by their exact system prompt, and reads each from its newest exchange', () => {
  const log = (id: string, exact: string, day: number) => ({
    id,
    segment_exact: exact,
    created_at: `2026-11-${day}T00:00:00.000Z`,
  })
  expect(variantsOf([log('3', 'b', 13), log('2', 'a', 12), log('1', 'b', 11)])).toEqual([
    { id: 'b', exchanges: 2, lastAt: '2026-11-13T00:00:00.000Z', logId: '3' },
    { id: 'a', exchanges: 1, lastAt: '2026-11-12T00:00:00.000Z', logId: '2' },
  ])
  expect(variantsOf([])).toEqual([])
})
