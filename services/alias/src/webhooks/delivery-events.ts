import { Counter, type ProcessMetrics, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { DeliveryEvent } from './deliver-webhooks.ts'

/** What the sending of messages reports. */
export interface DeliveryEvents {
  delivery(event: DeliveryEvent): void
  deliveriesFailed(cause: unknown): void
  forgettingFailed(cause: unknown): void
}

export function createDeliveryEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): DeliveryEvents {
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Attempts at sending messages by what became of them.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  startAtZero(deliveries, 'outcome', ['delivered', 'retried', 'given_up', 'gone', 'lost', 'not_kept'])
  return {
    delivery({ kind, deliveryId, webhookId, error, cause }) {
      deliveries.inc({ outcome: kind })
      const fields = { event: `webhook_${kind}`, deliveryId, webhookId }
      if (kind === 'not_kept') logger.warn({ ...fields, err: cause }, 'a message will be sent once more')
      if (kind === 'gone') logger.info(fields, 'a webhook is gone and was disabled')
      if (kind === 'given_up') logger.info({ ...fields, error }, 'a message was given up')
    },
    deliveriesFailed: (cause) => logger.warn({ event: 'webhooks_failed', err: cause }, 'somebody waits to be told'),
    forgettingFailed: (cause) =>
      logger.error({ event: 'webhook_forgetting_failed', err: cause }, 'events of webhooks are kept too long'),
  }
}
