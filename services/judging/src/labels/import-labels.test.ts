import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { importLabels } from './import-labels.ts'

it('gives other requests their turn between two large grades of a batch', async () => {
  const messages = [{ role: 'user', content: 'x'.repeat(400_000) }]
  const lines = Array.from({ length: 9 }, (_, index) =>
    JSON.stringify({ messages, response: `${index}`, label: 'pass' }),
  )
  const workspaceId = randomUUID()
  const identity = { workspaceId, userId: randomUUID(), role: 'owner', keyId: null } as unknown as Identity
  let [turns, turnsOfBatch] = [0, 0]
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const summary = await importLabels(
    {
      criteria: { get: async () => null },
      async redact(_, documents) {
        turnsOfBatch = -turns
        return documents
      },
      labels: {
        async add(labels) {
          turnsOfBatch += turns
          return labels.map((label) => ({ kind: 'created' as const, label, supersedes: false })) as never
        },
      },
      now: () => new Date(),
      newId: randomUUID,
    },
    { identity, criterionId: undefined, content: bytesOf(lines), confirm: async () => undefined },
  )
  isOver = true
  expect(summary.created).toBe(9)
  expect(turnsOfBatch).toBeGreaterThanOrEqual(9)
})

async function* bytesOf(lines: readonly string[]) {
  for (const line of lines) yield Buffer.from(`${line}\n`)
}
