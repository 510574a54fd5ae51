import { Counter, type ProcessMetrics, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { DeliveryEvent } from './deliver-webhook.ts'

/** Reports deliveries as metrics and log lines. */
export interface DeliveryEvents {
  delivery(event: DeliveryEvent): void
  deliveriesFailed(cause: unknown): void
  purgeFailed(cause: unknown): void
}

export function createDeliveryEvents({ registry }: Pick<ProcessMetrics, 'registry'>, logger: Logger): DeliveryEvents {
  const deliveries = new Counter({
    name: 'ratchet_webhook_delivery_attempts_total',
    help: 'Attempts to deliver webhook events by outcome. `lost`: another worker sent the delivery in the meantime.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  startAtZero(deliveries, 'outcome', ['delivered', 'retried', 'dead_lettered', 'gone', 'lost', 'not_recorded'])
  return {
    delivery({ kind, deliveryId, webhookId, error, cause }) {
      deliveries.inc({ outcome: kind })
      const fields = { event: `webhook_${kind}`, deliveryId, webhookId }
      if (kind === 'not_recorded') logger.warn({ ...fields, err: cause }, 'outcome not saved, message will be repeated')
      if (kind === 'gone') logger.info(fields, 'webhook disabled: its receiver answered with 410')
      if (kind === 'dead_lettered') logger.info({ ...fields, error }, 'delivery dead-lettered after its last attempt')
    },
    deliveriesFailed: (cause) => logger.warn({ event: 'webhooks_failed', err: cause }, 'webhook delivery failed'),
    purgeFailed: (cause) =>
      logger.error({ event: 'webhook_forgetting_failed', err: cause }, 'could not delete old webhook events'),
  }
}
