import { randomBytes } from 'node:crypto'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/process/webhook-config'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { startDueWork } from '@ratchet/work-kit/polling/due-runner'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { createWebhookSender } from '@ratchet/work-kit/webhooks/send-webhook'
import { z } from 'zod'
import type { AliasDatabase } from './aliases/pg-alias-row.ts'
import { deliverWebhook } from './webhooks/deliver-webhook.ts'
import type { DeliveryEvents } from './webhooks/delivery-events.ts'
import { createPgDeliveries } from './webhooks/pg-deliveries.ts'
import { createPgDueDeliveries } from './webhooks/pg-due-deliveries.ts'
import { createPgWebhooks } from './webhooks/pg-webhooks.ts'
import type { WebhookRouteDeps } from './webhooks/routes.ts'

/** Variables of both processes. */
export const webhooksConfig = {
  ...webhookConfig,
  /** Encrypt signing secrets: 32 bytes each, `k1:<base64>,…`. The first key encrypts, all decrypt. */
  ENCRYPTION_KEYS: NamedKeys,
}
const WebhooksConfig = z.object(webhooksConfig)
export type WebhooksConfig = z.output<typeof WebhooksConfig>

const deliverEveryMs = 1_000
const expireEveryMs = 60_000
/** Deliveries that one process has in progress at the same time. */
const maxInProgress = 20

export interface WebhooksContext extends AliasDatabase {
  readonly now: () => Date
  readonly newId: () => string
}

export function startWebhooks(config: WebhooksConfig, context: WebhooksContext): WebhookRouteDeps {
  const { pool, clients, now, newId } = context
  return {
    webhooks: createPgWebhooks({ pool, clients }),
    deliveries: createPgDeliveries(pool),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    webhookRules: webhookRules(config),
    randomBytes,
    now,
    newId,
  }
}

export interface DeliveryContext extends Pick<WebhooksContext, 'pool' | 'now'>, Pick<Lifecycle, 'onStop'> {
  readonly changes: WorkChanges
  readonly events: DeliveryEvents
}

/** Delivers until the process stops, which waits at most 15 seconds for attempts in progress. */
export function startWebhookDelivery(config: WebhooksConfig, context: DeliveryContext): void {
  const { pool, now, changes, onStop, events } = context
  const due = createPgDueDeliveries(pool)
  const secrets = createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes })
  const send = createWebhookSender({ rules: webhookRules(config), now })
  const deps = { due, secrets, send, onEvent: events.delivery }
  startDueWork(
    {
      take: due.take,
      process: (delivery) => deliverWebhook(deps, delivery),
      concurrency: maxInProgress,
      onError: events.deliveriesFailed,
    },
    { everyMs: deliverEveryMs, changes, onStop },
  )
  onStop(repeatEvery({ everyMs: expireEveryMs, work: due.expire, onError: events.deliveriesFailed }))
  onStop(repeatEvery({ everyMs: hourMs, work: due.purge, onError: events.purgeFailed }))
}
