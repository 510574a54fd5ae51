import { describeAge } from './database-age.ts'

it.each([
  ['2026-11-24', '· '],
  ['2026-11-10', '· '],
  ['2026-11-09', '! '],
  ['2025-11-24', '! '],
])('marks a database of %s with %j', (changedOn, mark) => {
  const line = describeAge(changedOn, '2026-11-24')
  expect([line.slice(0, 2), line.includes(changedOn)]).toEqual([mark, true])
})
