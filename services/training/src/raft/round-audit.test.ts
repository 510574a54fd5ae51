import { roundsWithoutAudit } from './round-audit.ts'

const chain = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
const audited = (id: string, graded = 30, falsePass = 2) => new Map([[id, { graded, falsePass }]])

it('lets a chain go on for two rounds without grades', () => {
  expect(roundsWithoutAudit(chain.slice(0, 2), new Map())).toBeNull()
  expect(roundsWithoutAudit(chain.slice(0, 3), new Map())).toBe(3)
  expect(roundsWithoutAudit(chain, new Map())).toBe(4)
})

it('counts from the last round whose answers people graded', () => {
  expect(roundsWithoutAudit(chain, audited('d'))).toBeNull()
  expect(roundsWithoutAudit(chain, audited('b'))).toBeNull()
  expect(roundsWithoutAudit(chain, audited('a'))).toBe(3)
})

it.each([
  ['fewer than 30 grades', 29, 0],
  ['3 of 30 failed', 30, 3],
])('counts no audit with %s', (_, graded, falsePass) => {
  expect(roundsWithoutAudit(chain, audited('d', graded, falsePass))).toBe(4)
})

it('takes more failures when more is graded', () => {
  expect(roundsWithoutAudit(chain, audited('d', 60, 6))).toBeNull()
})
