import { Counter, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { PaymentEvent } from './top-ups.ts'

/** Counts payments. One that was refused was paid all the same, so an operator must look at it. */
export function paymentEvents(registry: Registry, logger: Logger): (event: PaymentEvent) => void {
  const payments = new Counter({
    name: 'ratchet_payments_total',
    help: 'Payments that a provider reported: credited, or refused because they differ from their top-up.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  startAtZero(payments, 'outcome', ['credited', 'refused'])
  return (event) => {
    payments.inc({ outcome: event.kind })
    if (event.kind === 'credited')
      logger.info({ event: 'payment_credited', topUp: event.topUpId }, 'a payment was credited')
    else {
      const { topUpId: topUp, paymentId: payment, why } = event
      logger.error({ event: 'payment_refused', topUp, payment, why }, 'a payment was not credited')
    }
  }
}
