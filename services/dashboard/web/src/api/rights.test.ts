import { reasonAgainst } from './rights.ts'

const member = { role: 'member', may_grade: false } as const
const grader = { role: 'member', may_grade: true } as const
const admin = { role: 'admin', may_grade: false } as const
const owner = { role: 'owner', may_grade: false } as const

it.each([
  ['grader', member, false],
  ['grader', grader, true],
  ['grader', admin, true],
  ['owner_admin', grader, false],
  ['owner_admin', admin, true],
  ['owner', admin, false],
  ['owner', owner, true],
] as const)('%s: %o is allowed: %s', (right, who, allowed) => {
  expect(reasonAgainst(right, who) === null).toBe(allowed)
})
