import { randomBytes } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'
import { NamedKeys } from '@ratchet/service-kit/identity'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { Lifecycle } from '@ratchet/service-kit/run-process'
import { createSecretBox } from '@ratchet/service-kit/secret-box'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/webhook-config'
import { z } from 'zod'
import { createWebhookDeliverer } from './webhooks/deliver-webhooks.ts'
import type { DeliveryEvents } from './webhooks/delivery-events.ts'
import { createPgDeliveries } from './webhooks/pg-deliveries.ts'
import { createPgDueDeliveries } from './webhooks/pg-due-deliveries.ts'
import { createPgWebhooks } from './webhooks/pg-webhooks.ts'
import { forgetWebhookEvents } from './webhooks/purge-webhook-events.ts'
import type { WebhookRouteDeps } from './webhooks/routes.ts'
import { createSendDelivery } from './webhooks/send-delivery.ts'

/** What both processes have to know of webhooks. Spread into their schemas. */
export const webhooksConfig = {
  ...webhookConfig,
  /** Seal the secrets that sign: 32 bytes each, `k1:<base64>,…`. The first seals, all open. */
  ENCRYPTION_KEYS: NamedKeys,
}
const WebhooksConfig = z.object(webhooksConfig)
export type WebhooksConfig = z.output<typeof WebhooksConfig>

/** How often it is looked what is due, milliseconds. */
const sendEveryMs = 1_000
const expireEveryMs = 60_000
const forgetEveryMs = 3_600_000

export interface WebhooksContext {
  /** With the rights of `ratchet_alias`. */
  readonly pool: Pool
  readonly now: () => Date
  readonly newId: () => string
}

/** What the routes of webhooks need. */
export function startWebhooks(config: WebhooksConfig, { pool, now, newId }: WebhooksContext): WebhookRouteDeps {
  return {
    webhooks: createPgWebhooks(pool),
    deliveries: createPgDeliveries(pool),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    webhookRules: webhookRules(config),
    randomBytes,
    now,
    newId,
  }
}

export interface DeliveryContext extends Pick<WebhooksContext, 'pool' | 'now'>, Pick<Lifecycle, 'onStop'> {
  readonly events: DeliveryEvents
}

/** Sends messages until the process stops, and then waits for those that are under way: at most 15 seconds. */
export function startWebhookDelivery(config: WebhooksConfig, context: DeliveryContext): void {
  const { pool, now, onStop, events } = context
  const due = createPgDueDeliveries(pool)
  const send = createSendDelivery({
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    rules: webhookRules(config),
    now,
  })
  const deliverer = createWebhookDeliverer({ due, send, onEvent: events.delivery })
  const stopSending = repeatEvery({ everyMs: sendEveryMs, work: deliverer.run, onError: events.deliveriesFailed })
  onStop(() => Promise.all([deliverer.stop(), stopSending()]))
  onStop(repeatEvery({ everyMs: expireEveryMs, work: () => due.expire(), onError: events.deliveriesFailed }))
  const forget = () => forgetWebhookEvents(due)
  onStop(repeatEvery({ everyMs: forgetEveryMs, work: forget, onError: events.forgettingFailed }))
}
