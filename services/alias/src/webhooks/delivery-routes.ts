import { uuidOf } from '@ratchet/contracts/public-id'
import { listDeliveries, replayDelivery } from '@ratchet/contracts/webhooks'
import { mount } from '@ratchet/service-kit/mount'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import { type DeliveryStore, deliveryReply } from './delivery.ts'
import { requireWebhook } from './require-webhook.ts'
import type { WebhookStore } from './webhook.ts'

export interface DeliveryRouteDeps {
  readonly webhooks: Pick<WebhookStore, 'get'>
  readonly deliveries: DeliveryStore
}

/** What webhooks were told. */
export function deliveryRoutes(router: Router, { webhooks, deliveries }: DeliveryRouteDeps): void {
  mount(router, listDeliveries, async ({ params, query, identity }) => {
    const webhook = await requireWebhook(webhooks, identity, params.id)
    const { limit, offset } = query
    const { total, deliveries: page } = await deliveries.list({ ...query, webhookId: webhook.id })
    const data = page.map((delivery) => deliveryReply(delivery, webhook))
    return { object: 'list' as const, data, total, limit, offset, has_more: offset + data.length < total }
  })
  mount(router, replayDelivery, async ({ params, identity }) => {
    const webhook = await requireWebhook(webhooks, identity, params.id)
    const id = uuidOf('delivery', params.delivery_id)
    const replayed = id === null ? null : await deliveries.replay({ webhookId: webhook.id, id })
    if (replayed === null) {
      throw new ServiceError('not_found', 'There is no such delivery.', { param: 'delivery_id' })
    }
    if (replayed === 'pending') throw new ServiceError('conflict', 'The message is still being sent.')
    return deliveryReply(replayed, webhook)
  })
}
