import type { Identity } from '@ratchet/contracts/identity'
import { publishWebhookEvent } from '@ratchet/contracts/internal-alias'
import { pageReply } from '@ratchet/contracts/page'
import { uuidOf } from '@ratchet/contracts/public-id'
import { webhookSecretPlace } from '@ratchet/contracts/webhook-secret'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayDelivery,
  testWebhook,
  updateWebhook,
} from '@ratchet/contracts/webhooks'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { waitAsPreferred } from '@ratchet/service-kit/http/prefer-wait'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Router } from 'express'
import { deliveryReply } from './delivery.ts'
import type { DeliveryStore } from './pg-deliveries.ts'
import type { WebhookStore } from './pg-webhooks.ts'
import { maxWebhooks, type StoredWebhook, webhookReply } from './webhook.ts'

export interface WebhookRouteDeps {
  readonly webhooks: WebhookStore
  readonly deliveries: DeliveryStore
  /** Seals signing secrets. */
  readonly secrets: Pick<SecretBox, 'seal'>
  /** URLs that workspaces may use. */
  readonly webhookRules: BaseUrlRules
  readonly randomBytes: (count: number) => Uint8Array
  readonly now: () => Date
  readonly newId: () => string
}

/** Length of a generated secret, bytes. */
const secretBytes = 32

export function webhookRoutes(router: Router, deps: WebhookRouteDeps): void {
  createRoute(router, deps)
  updateRoute(router, deps)
  deliveryRoutes(router, deps)
  testRoute(router, deps)
  const { webhooks } = deps
  mount(router, listWebhooks, async ({ query: { limit, offset }, identity: { workspaceId } }) => {
    const { total, webhooks: page } = await webhooks.list({ workspaceId, limit, offset })
    const data = page.map(webhookReply)
    return pageReply(data, total, { limit, offset })
  })
  mount(router, getWebhook, async ({ params, identity }) =>
    webhookReply(await requireWebhook(webhooks, identity, params.id)),
  )
  mount(router, deleteWebhook, async ({ params, identity }) => {
    if (!(await webhooks.delete(await requireWebhook(webhooks, identity, params.id)))) throw webhookNotFound()
    return { id: params.id, deleted: true as const }
  })
  mountJson(router, publishWebhookEvent, async ({ body: { id, type, timestamp, data }, identity: { workspaceId } }) => {
    const event = { id, workspaceId, type, timestamp: new Date(timestamp), data }
    return { reply: { accepted: await webhooks.enqueue(event) } }
  })
}

/** This is the only reply that contains the secret. */
function createRoute(router: Router, deps: WebhookRouteDeps): void {
  mountJson(router, createWebhook, async ({ body, identity: { workspaceId, userId: createdBy } }) => {
    const { url, events, description, format } = body
    requireAllowedUrl(deps, url)
    const at = deps.now()
    const key = { id: deps.newId(), workspaceId }
    const secret = body.secret ?? `whsec_${Buffer.from(deps.randomBytes(secretBytes)).toString('base64')}`
    const webhook = { ...key, url, events, description, format, enabled: true, createdBy, createdAt: at, updatedAt: at }
    const sealed = deps.secrets.seal(secret, webhookSecretPlace(key))
    if (!(await deps.webhooks.create({ ...webhook, secret: sealed }))) {
      throw new ServiceError('conflict', `A workspace may have ${maxWebhooks} webhooks; delete one first.`)
    }
    return { reply: { ...webhookReply(webhook), secret } }
  })
}

function updateRoute(router: Router, deps: WebhookRouteDeps): void {
  const { webhooks, secrets, now } = deps
  mountJson(router, updateWebhook, async ({ params, body: { secret, ...changes }, identity }) => {
    const webhook = await requireWebhook(webhooks, identity, params.id)
    if (changes.url !== undefined) requireAllowedUrl(deps, changes.url)
    const isUnchanged = secret === undefined && Object.keys(changes).length === 0
    if (isUnchanged) return { reply: webhookReply(webhook) }
    const sealed = secret === undefined ? {} : { secret: secrets.seal(secret, webhookSecretPlace(webhook)) }
    const changed = await webhooks.update(webhook, { ...changes, ...sealed }, now())
    if (changed === null) throw webhookNotFound()
    return { reply: webhookReply(changed) }
  })
}

function deliveryRoutes(router: Router, { webhooks, deliveries }: WebhookRouteDeps): void {
  mount(router, listDeliveries, async ({ params, query, identity }) => {
    const webhook = await requireWebhook(webhooks, identity, params.id)
    const { limit, offset } = query
    const { total, deliveries: page } = await deliveries.list({ ...query, webhookId: webhook.id })
    const data = page.map((delivery) => deliveryReply(delivery, webhook))
    return pageReply(data, total, { limit, offset })
  })
  mount(router, replayDelivery, async ({ params, identity }) => {
    const webhook = await requireWebhook(webhooks, identity, params.id)
    const id = uuidOf('delivery', params.delivery_id)
    const replayed = id === null ? null : await deliveries.replay({ webhookId: webhook.id, id })
    if (replayed === null) {
      throw notFound('delivery', 'delivery_id')
    }
    if (replayed === 'pending') throw new ServiceError('conflict', 'Attempts at this delivery have not ended yet.')
    return deliveryReply(replayed, webhook)
  })
}

function testRoute(router: Router, { webhooks, deliveries, now, newId }: WebhookRouteDeps): void {
  mount(router, testWebhook, async ({ params, identity, request }) => {
    const webhook = await requireWebhook(webhooks, identity, params.id)
    if (!webhook.enabled) throw new ServiceError('conflict', 'The webhook is off. Set `enabled` first.')
    const deliveryId = newId()
    const data = { webhook_id: params.id, message: 'A test of this webhook.' }
    if (!(await deliveries.test({ webhook, eventId: newId(), deliveryId, timestamp: now(), data }))) {
      throw webhookNotFound()
    }
    const read = async () => {
      const delivery = await deliveries.get(webhook, deliveryId)
      if (delivery === null) throw webhookNotFound()
      return deliveryReply(delivery, webhook)
    }
    // A first attempt that failed says what is wrong; the next ones are minutes later.
    return waitAsPreferred(request, { read, isOver: ({ attempts }) => attempts.length > 0 })
  })
}

/** @throws ServiceError `not_found`, also for a webhook of another workspace */
async function requireWebhook(
  webhooks: Pick<WebhookStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  publicId: string,
): Promise<StoredWebhook> {
  const id = uuidOf('webhook', publicId)
  const webhook = id === null ? null : await webhooks.get({ workspaceId, id })
  if (webhook === null) throw webhookNotFound()
  return webhook
}

function webhookNotFound(): ServiceError {
  return notFound('webhook')
}

function requireAllowedUrl({ webhookRules }: WebhookRouteDeps, url: string): void {
  const reason = webhookUrlProblem(url, webhookRules)
  if (reason === null) return
  throw new ServiceError('invalid_request', `\`url\` is not allowed: ${reason}.`, { param: 'url' })
}
