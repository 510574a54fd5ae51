import fc from 'fast-check'
import { type BodyBudget, createBodyBudget, smallBodyBytes } from './body-budget.ts'

const maxBytes = 128_000_000
const refused = expect.objectContaining({ code: 'service_unavailable' })

function hold(budget: BodyBudget, workspaceId: string, bytes: number): () => void {
  const body = budget.enter(workspaceId)
  body.add(bytes)
  return body.leave
}

/** Holds bodies that become ever smaller, until none is accepted. */
function exhaust(budget: BodyBudget, workspaceId: string): void {
  for (let bytes = 9_700_000; bytes >= 300; ) {
    try {
      hold(budget, workspaceId, bytes)
    } catch {
      bytes = Math.floor(bytes / 3)
    }
  }
}

it('refuses nothing to a second workspace while the first one holds all that it can', () => {
  const budget = createBodyBudget(maxBytes)
  exhaust(budget, 'greedy')
  hold(budget, 'other', 9_700_000)
  hold(budget, 'other', 9_700_000)
  expect(() => hold(budget, 'greedy', 100_000)).toThrow(refused)
})

it('accepts a small body of a workspace that holds nothing, however many others hold all that they can', () => {
  const budget = createBodyBudget(maxBytes)
  for (let n = 0; n < 8; n += 1) exhaust(budget, `greedy ${n}`)
  for (let n = 0; n < 100; n += 1) hold(budget, `other ${n}`, smallBodyBytes)
  expect(() => hold(budget, 'other', 200_000)).toThrow(refused)
})

it('keeps room for small bodies while four workspaces hold large ones', () => {
  const budget = createBodyBudget(maxBytes)
  for (let n = 0; n < 4; n += 1) for (let body = 0; body < 3; body += 1) hold(budget, `large ${n}`, 9_300_000)
  for (let body = 0; body < 60; body += 1) hold(budget, 'small', 60_000)
})

it('accepts again what fits after a body has left', () => {
  const budget = createBodyBudget(100)
  const large = createBodyBudget(400_000)
  const leave = hold(large, 'a', 90_000)
  expect(() => hold(large, 'a', 90_000)).toThrow(refused)
  leave()
  leave()
  hold(large, 'a', 90_000)
  hold(budget, 'a', smallBodyBytes)
})

it('accepts a single body of any size, in pieces', () => {
  const budget = createBodyBudget(100_000)
  const body = budget.enter('a')
  for (let piece = 0; piece < 20; piece += 1) body.add(50_000)
  expect(() => hold(budget, 'b', 70_000)).toThrow(refused)
  body.leave()
  hold(budget, 'b', 70_000)
})

it('refuses a body in the middle when the share is used up, and releases what it held', () => {
  const budget = createBodyBudget(1_000_000)
  hold(budget, 'a', 200_000)
  const body = budget.enter('a')
  body.add(40_000)
  expect(() => body.add(40_000)).toThrow(refused)
  body.leave()
  hold(budget, 'a', 50_000)
})

it('never holds more of a workspace than its share, unless it holds one body only', () => {
  const step = fc.record({ workspace: fc.constantFrom('a', 'b', 'c'), bytes: fc.integer({ min: 1, max: 600_000 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 60 }), (steps, ends) => {
      const budget = createBodyBudget(2_000_000)
      const bodies: { workspace: string; bytes: number; leave: () => void }[] = []
      for (const [index, { workspace, bytes }] of steps.entries()) {
        try {
          bodies.push({ workspace, bytes, leave: hold(budget, workspace, bytes) })
        } catch {
          const [left] = bodies.splice((ends[index] ?? 0) % (bodies.length + 1), 1)
          left?.leave()
        }
        for (const each of ['a', 'b', 'c']) {
          const held = bodies.filter((body) => body.workspace === each)
          const sum = held.reduce((total, body) => total + body.bytes, 0)
          if (held.length > 1 && sum > smallBodyBytes) expect(sum).toBeLessThanOrEqual(500_000)
        }
      }
    }),
  )
})

it('lets one large body be parsed in a turn of the event loop, of the workspaces in turn', async () => {
  const budget = createBodyBudget(100_000_000)
  const order: string[] = []
  const parse = async (workspaceId: string) => {
    await budget.enter(workspaceId).turn()
    order.push(workspaceId)
  }
  const all = [...Array.from({ length: 6 }, () => parse('many')), parse('one')]
  // Others are answered between two of them.
  const otherTurns = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      order.push('-')
    }
  }
  await Promise.all([...all, otherTurns()])
  expect(order.filter((each) => each !== '-').indexOf('one')).toBeLessThanOrEqual(1)
  expect(order.join(' ')).not.toContain('many many')
})
