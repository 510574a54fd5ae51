import { createRecentSet } from './recent-set.ts'

it('drops a member after its time to live', () => {
  const recent = createRecentSet(10, 5_000)
  recent.add('a', 1_000)
  expect(recent.has('a', 5_999)).toBe(true)
  expect(recent.has('a', 6_000)).toBe(false)
  expect(recent.has('b', 1_000)).toBe(false)
})

it('drops the oldest member when it is full', () => {
  const recent = createRecentSet(3)
  for (let i = 0; i < 1_000; i++) recent.add(`k${i}`, i)
  expect(recent.size).toBe(3)
  expect(['k996', 'k997', 'k998', 'k999'].map((key) => recent.has(key, 1_000))).toEqual([false, true, true, true])
})

it('counts a member added again as new', () => {
  const recent = createRecentSet(2)
  for (const member of ['a', 'b', 'a', 'c']) recent.add(member, 0)
  expect([recent.has('a', 0), recent.has('b', 0)]).toEqual([true, false])
})
