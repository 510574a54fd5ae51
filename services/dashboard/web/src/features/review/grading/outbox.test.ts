import { Outbox, type OutboxEntry, undoMs } from './outbox.ts'

/* Time passes only when a test says so. */
function start({ stored = [] }: { stored?: OutboxEntry[] } = {}) {
  const rows = new Map(stored.map((entry) => [entry.gradeId, entry]))
  const sent: string[] = []
  let clock = 0
  let fails: Error | null = null
  const waits: { until: number; resolve: () => void }[] = []
  const outbox = new Outbox({
    store: {
      all: async () => [...rows.values()],
      put: async (entry) => void rows.set(entry.gradeId, entry),
      has: async (id) => rows.has(id),
      remove: async (id) => void rows.delete(id),
    },
    send: async ({ gradeId }) => {
      if (fails) throw fails
      sent.push(gradeId)
    },
    mayRetry: (error) => (error as Error).message === 'later',
    now: () => clock,
    wait: (ms) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waits.push({ until: clock + ms, resolve })
      return { done: promise, end: resolve }
    },
  })
  return {
    outbox,
    sent,
    rows,
    failWith: (error: Error | null) => {
      fails = error
    },
    async pass(ms: number) {
      clock += ms
      for (const each of waits) if (each.until <= clock) each.resolve()
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
    },
  }
}

const entry = (gradeId: string, dueMs = undoMs, more: Partial<OutboxEntry> = {}): OutboxEntry => ({
  gradeId,
  slug: 'demo',
  userId: 'u1',
  roundId: 'r1',
  claimId: 'c1',
  itemId: `item-${gradeId}`,
  label: 'pass',
  reasons: [],
  rationale: null,
  shownMs: 10,
  seenAll: true,
  dueMs,
  ...more,
})

it('sends a grade after five seconds, and none that was taken back before', async () => {
  const { outbox, sent, rows, pass } = start()
  await outbox.add(entry('g1'))
  await outbox.add(entry('g2', undoMs + 1))
  await pass(undoMs - 1)
  expect([sent, outbox.takeBack('g2')]).toEqual([[], true])
  await pass(2)
  expect([sent, outbox.takeBack('g1'), rows.size]).toEqual([['g1'], false, 0])
})

it('sends all in their order once the network is back', async () => {
  const { outbox, sent, failWith, pass } = start()
  failWith(new Error('later'))
  for (const id of ['g1', 'g2', 'g3']) await outbox.add(entry(id))
  await pass(undoMs)
  expect(outbox.state()).toMatchObject({ failingSinceMs: undoMs, waiting: [{}, {}, {}] })
  failWith(null)
  await pass(60_000)
  expect([sent, outbox.state().failingSinceMs]).toEqual([['g1', 'g2', 'g3'], null])
})

it('gives up a grade that the server will never take, and says so', async () => {
  const { outbox, failWith, pass, rows } = start()
  failWith(new Error('no such item'))
  await outbox.add(entry('g1'))
  await pass(undoMs)
  expect([outbox.state().refused, outbox.state().waiting, rows.size]).toEqual([['no such item'], [], 0])
})

it('continues with what the same person left in the same workspace', async () => {
  const stored = [entry('g1'), entry('g2', 1, { userId: 'u2' }), entry('g3', 1, { slug: 'other' })]
  const { outbox, sent, pass } = start({ stored })
  await outbox.load('u1', 'demo')
  await pass(undoMs)
  expect(sent).toEqual(['g1'])
})

it('can send all at once', async () => {
  const { outbox, sent, pass } = start()
  await outbox.add(entry('g1'))
  outbox.sendNow()
  await pass(0)
  expect(sent).toEqual(['g1'])
})
