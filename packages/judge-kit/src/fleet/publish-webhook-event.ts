import type { Identity } from '@ratchet/contracts/identity'
import { publishWebhookEvent } from '@ratchet/contracts/internal-alias'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'

/** Something that happened which webhooks of a workspace may want to hear of. */
export interface WebhookNotice {
  /** UUID, the same however often it is told: webhooks hear of it once. */
  readonly id: string
  readonly type: WebhookEventType
  readonly timestamp: Date
  readonly data: Readonly<Record<string, unknown>>
  /** Of the workspace whose webhooks are told. */
  readonly identity: Identity
}

/** @throws FleetCallError where telling it again later may help */
export type PublishWebhookEvent = (notice: WebhookNotice) => Promise<'taken' | 'refused'>

/** A matter of keys, clocks and releases, not of what is told. */
const notOfTheNotice: ReadonlySet<number> = new Set([401, 403, 404])

/** Tells webhooks through the alias service, which keeps what it took until they have heard it. */
export function createWebhookPublisher(alias: Pick<FleetClient, 'call'>): PublishWebhookEvent {
  return async ({ id, type, timestamp, data, identity }) => {
    const body = { id, type, timestamp: timestamp.toISOString(), data: { ...data } }
    try {
      await alias.call(publishWebhookEvent, { body }, identity)
      return 'taken'
    } catch (error) {
      if (error instanceof FleetCallError && !error.mayPass && !notOfTheNotice.has(error.status)) return 'refused'
      throw error
    }
  }
}
