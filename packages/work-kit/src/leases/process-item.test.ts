import { type RetryDecision, WorkPostponed } from './decide-retry.ts'
import { type AttemptEnd, processItem } from './process-item.ts'

const item = { id: 'i', generation: 3, failures: 1 }

/** Processes an item in memory. */
async function processed(process: () => Promise<string>, isHeld = true) {
  const [ends, decisions]: [AttemptEnd<string>[], RetryDecision[]] = [[], []]
  const items = {
    lease: async (id: string) => (id === item.id ? item : null),
    renew: async () => true,
    release: async (_item: object, decision: RetryDecision) => void decisions.push(decision),
  }
  const onEnd = (end: AttemptEnd<string>) => void ends.push(end)
  const result = await processItem({ items, process, complete: async () => isHeld, onEnd }, item.id)
  return { result, ends, decisions }
}

it('saves the outcome and returns the item', async () => {
  expect(await processed(async () => 'ok')).toEqual({
    result: item,
    ends: [{ kind: 'completed', outcome: 'ok' }],
    decisions: [],
  })
})

it('reports a result that was not saved because the lease was lost', async () => {
  expect((await processed(async () => 'late', false)).ends).toEqual([{ kind: 'lost' }])
})

it.each([
  [new Error('broken'), { kind: 'retried', error: 'broken', delayMs: 4_000 }],
  [new WorkPostponed('no credit', 60_000), { kind: 'postponed', error: 'no credit', delayMs: 60_000 }],
] as const)('releases an item whose work failed: %s', async (cause, decision) => {
  const { ends, decisions } = await processed(() => Promise.reject(cause))
  expect([decisions, ends]).toEqual([[decision], [{ kind: decision.kind, cause }]])
})
