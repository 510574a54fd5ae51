import { publishWebhookEvent } from '@ratchet/contracts/internal-alias'
import { webhookSecretPlace } from '@ratchet/contracts/webhook-secret'
import { createWebhook, deleteWebhook, getWebhook, listWebhooks, updateWebhook } from '@ratchet/contracts/webhooks'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { webhookUrlProblem } from '@ratchet/http/check-webhook-url'
import { mount } from '@ratchet/service-kit/mount'
import { mountJson } from '@ratchet/service-kit/mount-json'
import type { SecretBox } from '@ratchet/service-kit/secret-box'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import { type DeliveryRouteDeps, deliveryRoutes } from './delivery-routes.ts'
import { requireWebhook, webhookNotFound } from './require-webhook.ts'
import { maxWebhooks, type WebhookStore, webhookReply } from './webhook.ts'

export interface WebhookRouteDeps extends DeliveryRouteDeps {
  readonly webhooks: WebhookStore
  /** Seals the secrets that sign. */
  readonly secrets: Pick<SecretBox, 'seal'>
  /** Which addresses workspaces may have told of events. */
  readonly webhookRules: BaseUrlRules
  readonly randomBytes: (count: number) => Uint8Array
  readonly now: () => Date
  readonly newId: () => string
}

const maxBodyBytes = 64 * 1024
const maxEventBytes = 1024 * 1024
/** Of a secret that is made here, bytes. */
const secretBytes = 32

/** Webhooks, what they were told, and what the fleet has them told. */
export function webhookRoutes(router: Router, deps: WebhookRouteDeps): void {
  createRoute(router, deps)
  const { webhooks, now } = deps
  mount(router, listWebhooks, async ({ query: { limit, offset }, identity: { workspaceId } }) => {
    const { total, webhooks: page } = await webhooks.list({ workspaceId, limit, offset })
    const data = page.map(webhookReply)
    return { object: 'list' as const, data, total, limit, offset, has_more: offset + data.length < total }
  })
  mount(router, getWebhook, async ({ params, identity }) =>
    webhookReply(await requireWebhook(webhooks, identity, params.id)),
  )
  mountJson(router, updateWebhook, {
    maxBodyBytes,
    async handle({ params, body: { secret, ...changes }, identity }) {
      const webhook = await requireWebhook(webhooks, identity, params.id)
      if (changes.url !== undefined) checkUrl(deps, changes.url)
      const isNothing = secret === undefined && Object.keys(changes).length === 0
      if (isNothing) return { reply: webhookReply(webhook) }
      const sealed = secret === undefined ? {} : { secret: deps.secrets.seal(secret, webhookSecretPlace(webhook)) }
      const changed = await webhooks.update(webhook, { ...changes, ...sealed }, now())
      if (changed === null) throw webhookNotFound()
      return { reply: webhookReply(changed) }
    },
  })
  mount(router, deleteWebhook, async ({ params, identity }) => {
    if (!(await webhooks.delete(await requireWebhook(webhooks, identity, params.id)))) throw webhookNotFound()
    return { id: params.id, deleted: true as const }
  })
  deliveryRoutes(router, deps)
  mountJson(router, publishWebhookEvent, {
    maxBodyBytes: maxEventBytes,
    async handle({ body: { id, type, timestamp, data }, identity: { workspaceId } }) {
      const event = { id, workspaceId, type, timestamp: new Date(timestamp), data }
      return { reply: { accepted: await webhooks.report(event) } }
    },
  })
}

/** The only answer that has the secret in it. */
function createRoute(router: Router, deps: WebhookRouteDeps): void {
  mountJson(router, createWebhook, {
    maxBodyBytes,
    async handle({ body, identity: { workspaceId, userId: createdBy } }) {
      const { url, events, description } = body
      checkUrl(deps, url)
      const at = deps.now()
      const key = { id: deps.newId(), workspaceId }
      const secret = body.secret ?? `whsec_${Buffer.from(deps.randomBytes(secretBytes)).toString('base64')}`
      const webhook = { ...key, url, events, description, enabled: true, createdBy, createdAt: at, updatedAt: at }
      const isKept = await deps.webhooks.create({
        ...webhook,
        secret: deps.secrets.seal(secret, webhookSecretPlace(key)),
      })
      if (!isKept) throw new ServiceError('conflict', `A workspace may have ${maxWebhooks} webhooks; delete one first.`)
      return { reply: { ...webhookReply(webhook), secret } }
    },
  })
}

function checkUrl({ webhookRules }: WebhookRouteDeps, url: string): void {
  const reason = webhookUrlProblem(url, webhookRules)
  if (reason === null) return
  throw new ServiceError('invalid_request', `\`url\` cannot be told: ${reason}.`, { param: 'url' })
}
