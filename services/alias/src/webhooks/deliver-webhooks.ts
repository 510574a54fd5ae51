import { setTimeout as wait } from 'node:timers/promises'
import { type DeliveryOutcome, type DueDeliveries, type DueDelivery, verdictOn } from './delivery.ts'
import type { SendDelivery } from './send-delivery.ts'

/** What became of one attempt. */
export interface DeliveryEvent {
  readonly kind: DeliveryOutcome | 'not_kept'
  readonly deliveryId: string
  readonly webhookId: string
  /** Why it was not taken. */
  readonly error: string | null
  /** Why what became of it could not be kept; it will be sent once more. */
  readonly cause?: unknown
}

export interface DeliverWebhooksDeps {
  readonly due: Pick<DueDeliveries, 'take' | 'keep'>
  readonly send: SendDelivery
  readonly onEvent: (event: DeliveryEvent) => void
}

export interface WebhookDeliverer {
  /** Sends what is due until there is no more of it, or no more room. What is under way then goes on. Not twice at once. */
  run(): Promise<void>
  /** Takes nothing more on. Resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Messages of one process under way at the same time. */
const maxAtOnce = 20
/** How soon it is looked again for others while somebody takes their time, milliseconds. */
const evaluateEveryMs = 500

/**
 * Sends messages, each at least once, and again until it is taken or its day is over. Nobody waits for anybody else: who
 * takes their time has a few places, and the others go on.
 */
export function createWebhookDeliverer({ due, send, onEvent }: DeliverWebhooksDeps): WebhookDeliverer {
  const underWay = new Map<DueDelivery, Promise<void>>()
  let isStopped = false
  let running = Promise.resolve()

  async function deliver(delivery: DueDelivery): Promise<void> {
    const { id: deliveryId, webhookId } = delivery
    const attempt = await send(delivery)
    const reported = { deliveryId, webhookId, error: attempt.error }
    try {
      const kind = await due.keep(delivery, { attempt, verdict: verdictOn(attempt.status) })
      onEvent({ kind, ...reported })
    } catch (cause) {
      onEvent({ kind: 'not_kept', ...reported, cause })
    }
  }

  async function takeOn(): Promise<number> {
    const taken = await due.take(maxAtOnce - underWay.size, [...underWay.keys()])
    for (const delivery of taken) {
      underWay.set(
        delivery,
        deliver(delivery).finally(() => underWay.delete(delivery)),
      )
    }
    return taken.length
  }

  async function sendAll(): Promise<void> {
    while (!isStopped && underWay.size < maxAtOnce && (await takeOn()) > 0) {
      await Promise.race([...underWay.values(), wait(evaluateEveryMs)])
    }
  }

  return {
    run() {
      running = sendAll()
      return running
    },
    async stop() {
      isStopped = true
      await running.catch(() => undefined)
      await Promise.all(underWay.values())
    },
  }
}
