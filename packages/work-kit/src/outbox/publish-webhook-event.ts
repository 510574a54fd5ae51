import type { Identity } from '@ratchet/contracts/identity'
import { publishWebhookEvent } from '@ratchet/contracts/internal-alias'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'

/** A fact that is sent to the webhooks of a workspace. */
export interface WebhookEvent {
  /** UUID, the same in every attempt: the alias service accepts an id once. */
  readonly id: string
  readonly type: WebhookEventType
  readonly timestamp: Date
  readonly data: Readonly<Record<string, unknown>>
  /** Names the workspace. */
  readonly identity: Identity
}

/** @throws when a retry may succeed */
export type PublishWebhookEvent = (event: WebhookEvent) => Promise<'taken' | 'refused'>

/** Errors of keys, clocks and releases. They say nothing about the event, so it is retried. */
const callerErrorStatuses: ReadonlySet<number> = new Set([401, 403, 404])

/** Publishes through the alias service, which stores the event and delivers it to every webhook that requested its type. */
export function createWebhookPublisher(alias: Pick<FleetClient, 'call'>): PublishWebhookEvent {
  return async ({ id, type, timestamp, data, identity }) => {
    const body = { id, type, timestamp: timestamp.toISOString(), data: { ...data } }
    try {
      await alias.call(publishWebhookEvent, { body }, identity)
      return 'taken'
    } catch (error) {
      if (error instanceof FleetCallError && !error.mayPass && !callerErrorStatuses.has(error.status)) return 'refused'
      throw error
    }
  }
}
