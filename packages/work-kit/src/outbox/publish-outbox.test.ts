import { fleetIdentity } from '@ratchet/contracts/identity'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { createOutboxPublisher, type OutboxRow } from './publish-outbox.ts'
import type { WebhookEvent } from './publish-webhook-event.ts'

const clock = fixedClock()

/** An outbox in memory with this many rows, published with this answer of the alias service. */
function outboxOf(count: number) {
  const timestamp = clock.now()
  const identity = { ...fleetIdentity, workspaceId: 'w1', role: 'admin' } as const
  const rows = Array.from({ length: count }, (_, index): OutboxRow => {
    const id = `r${String(index).padStart(2, '0')}`
    return { id, event: { id: `e${index}`, type: 'eval.done', timestamp, data: {}, identity } }
  })
  const outbox = {
    async pending(limit: number, after: OutboxRow | null) {
      return rows.filter(({ id }) => after === null || id > after.id).slice(0, limit)
    },
    async end(ids: readonly string[]) {
      for (const ended of ids)
        rows.splice(
          rows.findIndex(({ id }) => id === ended),
          1,
        )
    },
  }
  let answer: (event: WebhookEvent) => 'taken' | 'refused'
  let [sent, kinds]: [string[], string[]] = [[], []]
  const publisher = createOutboxPublisher({
    outbox,
    async publish(event) {
      sent.push(event.id)
      return answer(event)
    },
    now: clock.now,
    onAttempt: ({ kind }) => kinds.push(kind),
  })
  return {
    pending: () => rows.map(({ id }) => id),
    stop: publisher.stop,
    async publish(next: typeof answer) {
      answer = next
      ;[sent, kinds] = [[], []]
      await publisher.publishPending()
      return { sent, kinds }
    },
  }
}

const unavailable = () => {
  throw new Error('unavailable')
}

it('publishes every row once', async () => {
  const { pending, publish } = outboxOf(11)
  const { sent, kinds } = await publish(() => 'taken')
  expect([sent.length, new Set(kinds), pending()]).toEqual([11, new Set(['taken']), []])
  expect(await publish(() => 'taken')).toEqual({ sent: [], kinds: [] })
})

it('repeats a failed attempt under the same id', async () => {
  const { pending, publish } = outboxOf(1)
  expect(await publish(unavailable)).toEqual({ sent: ['e0'], kinds: ['waiting'] })
  expect(pending()).toEqual(['r00'])
  expect(await publish(() => 'taken')).toEqual({ sent: ['e0'], kinds: ['taken'] })
})

it('makes few calls while the alias service is unavailable', async () => {
  const { pending, publish } = outboxOf(11)
  expect((await publish(unavailable)).sent).toHaveLength(4)
  expect(pending()).toHaveLength(11)
})

it('publishes all other rows when one fails', async () => {
  const { pending, publish } = outboxOf(11)
  const { sent } = await publish(({ id }) => (id === 'e0' ? unavailable() : 'taken'))
  expect([sent.length, pending()]).toEqual([11, ['r00']])
})

it('publishes newer rows when all older ones always fail, and repeats the older ones', async () => {
  const { pending, publish } = outboxOf(11)
  const answer = ({ id }: WebhookEvent) => (Number(id.slice(1)) < 8 ? unavailable() : ('taken' as const))
  const passes = [await publish(answer), await publish(answer), await publish(answer), await publish(answer)]
  expect(passes.map(({ sent }) => sent.join(' '))).toEqual(['e0 e1 e2 e3', 'e4 e5 e6 e7', 'e8 e9 e10', 'e0 e1 e2 e3'])
  expect(pending()).toHaveLength(8)
})

it('ends after the page in progress when it is stopped', async () => {
  const { pending, publish, stop } = outboxOf(11)
  const { sent } = await publish(() => {
    stop()
    return 'taken'
  })
  expect([sent.length, pending().length]).toEqual([4, 7])
  expect((await publish(() => 'taken')).sent).toEqual([])
})

it('does not publish a refused event again', async () => {
  const { pending, publish } = outboxOf(1)
  expect((await publish(() => 'refused')).kinds).toEqual(['refused'])
  expect(pending()).toEqual([])
})

it('ends a row after a day, and not before', async () => {
  const { pending, publish } = outboxOf(1)
  clock.advance(dayMs)
  expect((await publish(unavailable)).kinds).toEqual(['waiting'])
  clock.advance(1)
  expect(await publish(() => 'taken')).toEqual({ sent: [], kinds: ['expired'] })
  expect(pending()).toEqual([])
})
