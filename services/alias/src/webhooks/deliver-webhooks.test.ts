import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { createWebhookDeliverer, type DeliveryEvent } from './deliver-webhooks.ts'
import type { Attempt, DueDeliveries, DueDelivery } from './delivery.ts'

const delivery = (body: string): DueDelivery => ({
  id: randomUUID(),
  eventId: randomUUID(),
  webhookId: randomUUID(),
  workspaceId: randomUUID(),
  body,
  url: 'https://example.com/',
  claimedUntil: new Date(),
  secret: { keyId: 'k1', nonce: new Uint8Array(), ciphertext: new Uint8Array() },
})

/** Sends these; a body of `hang` is under way until it is let go. */
function delivering(waiting: DueDelivery[], keep: DueDeliveries['keep'] = async () => 'delivered') {
  const [limits, events]: [number[], DeliveryEvent[]] = [[], []]
  const gate = Promise.withResolvers<void>()
  const due: Pick<DueDeliveries, 'take' | 'keep'> = {
    async take(limit) {
      limits.push(limit)
      return waiting.splice(0, limit)
    },
    keep,
  }
  const send = async ({ body }: DueDelivery): Promise<Attempt> => {
    if (body === 'hang') await gate.promise
    return { at: '', status: 200, error: null, duration_ms: 1 }
  }
  return {
    limits,
    events,
    letGo: gate.resolve,
    deliverer: createWebhookDeliverer({ due, send, onEvent: (event) => events.push(event) }),
  }
}

it('goes on with others while somebody takes their time', async () => {
  const waiting = [delivery('hang'), delivery('a')]
  const { deliverer, events, letGo } = delivering(waiting)
  await deliverer.run()
  waiting.push(delivery('b'))
  await deliverer.run()
  expect(events).toHaveLength(2)
  letGo()
  await deliverer.stop()
  expect(events).toHaveLength(3)
})

it('has twenty under way at most', async () => {
  const waiting = Array.from({ length: 25 }, () => delivery('hang'))
  const { deliverer, limits, letGo, events } = delivering(waiting)
  await deliverer.run()
  await deliverer.run()
  expect([limits, waiting.length]).toEqual([[20], 5])
  letGo()
  await eventually(() => expect(events).toHaveLength(20))
  await deliverer.run()
  expect(events).toHaveLength(25)
})

it('loses nothing when what became of one cannot be kept', async () => {
  const broken = delivery('a')
  const cause = new Error('away')
  const { deliverer, events } = delivering([broken, delivery('b')], async ({ id }) => {
    if (id === broken.id) throw cause
    return 'delivered'
  })
  await deliverer.run()
  await deliverer.stop()
  expect(events.map(({ kind }) => kind).sort()).toEqual(['delivered', 'not_kept'])
  expect(events.find(({ kind }) => kind === 'not_kept')).toMatchObject({ deliveryId: broken.id, cause })
})

it('waits for what is under way when it stops, and takes nothing more on', async () => {
  const waiting = [delivery('hang')]
  const { deliverer, events, letGo } = delivering(waiting)
  await deliverer.run()
  waiting.push(delivery('b'))
  const stopped = deliverer.stop()
  await deliverer.run()
  expect(events).toEqual([])
  letGo()
  await stopped
  expect([events.length, waiting.length]).toEqual([1, 1])
})
