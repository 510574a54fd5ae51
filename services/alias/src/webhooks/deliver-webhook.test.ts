import { type DeliveryEvent, deliverWebhook } from './deliver-webhook.ts'
import type { DueDelivery } from './delivery.ts'

it('an outcome that cannot be saved is reported with its cause', async () => {
  const delivery: DueDelivery = {
    id: crypto.randomUUID(),
    eventId: crypto.randomUUID(),
    webhookId: crypto.randomUUID(),
    workspaceId: crypto.randomUUID(),
    body: '{}',
    url: 'https://example.com/',
    format: 'standard',
    tries: 1,
    claimedUntil: new Date(),
    secret: { keyId: 'k1', nonce: new Uint8Array(), ciphertext: new Uint8Array() },
  }
  const cause = new Error('unavailable')
  const events: DeliveryEvent[] = []
  await deliverWebhook(
    {
      due: { save: () => Promise.reject(cause) },
      secrets: { open: () => 'whsec_' },
      send: async () => ({ status: 200, error: null, at: new Date(), durationMs: 1 }),
      onEvent: (event) => events.push(event),
    },
    delivery,
  )
  const { id: deliveryId, webhookId } = delivery
  expect(events).toEqual([{ kind: 'not_recorded', deliveryId, webhookId, error: null, cause }])
})
