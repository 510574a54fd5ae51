import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { StoredWebhook, WebhookStore } from './webhook.ts'

/** The webhook of a public id. @throws ServiceError `not_found`, also for another workspace's */
export async function requireWebhook(
  webhooks: Pick<WebhookStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  publicId: string,
): Promise<StoredWebhook> {
  const id = uuidOf('webhook', publicId)
  const webhook = id === null ? null : await webhooks.get({ workspaceId, id })
  if (webhook === null) throw webhookNotFound()
  return webhook
}

export function webhookNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no such webhook.', { param: 'id' })
}
