import { z } from 'zod'
import { kibibyte } from './byte-sizes.ts'
import { endpoint, Nothing } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

/** The events that are sent to webhooks. */
export const webhookEventTypes = [
  'criterion.drift_flagged',
  'criterion.cap_reached',
  'wallet.low',
  'budget.threshold',
  'key.expiring',
  'catalog.stale',
  'eval.done',
  'alias.gate.promote_ready',
  'alias.gate.promoted',
  'alias.gate.rollback_recommended',
  'alias.gate.rolled_back',
  'alias.gate.family_rolled_back',
  'alias.gate.starved',
  'alias.gate.inconclusive',
  'alias.gate.expired',
  'fine_tuning.job.succeeded',
  'fine_tuning.job.failed',
  'fine_tuning.job.cancelled',
  'fine_tuning.job.paused',
  'raft.round.done',
  'raft.round.failed',
  'grpo.run.awaiting_adoption',
  'grpo.run.paused',
  'grpo.run.failed',
  'model_version.adopted',
  'model_version.rejected',
  'endpoint.state_changed',
  'endpoint.cap_reached',
  'call.started',
  'call.ended',
  'call.worker_lost',
  'call.recording_ready',
  'call.analyzed',
  'number.unreachable',
  'agent.canary.promote_ready',
  'agent.canary.promoted',
  'agent.canary.rollback_recommended',
  'agent.canary.rolled_back',
  'agent.canary.starved',
] as const
export const WebhookEventType = z.enum(webhookEventTypes)
export type WebhookEventType = z.infer<typeof WebhookEventType>

/** The types of messages: an event, or a test that a person sends. */
export const WebhookMessageType = z.enum([...webhookEventTypes, 'webhook.test'])
export type WebhookMessageType = z.infer<typeof WebhookMessageType>

const url = storable(z.string().min(1).max(500)).describe('https, and a public address.')
const events = z
  .array(WebhookEventType)
  .min(1)
  .max(webhookEventTypes.length)
  .refine((types) => new Set(types).size === types.length, 'This must name each event once.')
export const webhookFormats = ['standard', 'slack', 'teams'] as const
const format = z
  .enum(webhookFormats)
  .describe(
    '`standard`: JSON as Standard Webhooks has it; else a text for an incoming webhook of Slack or a workflow of Teams.',
  )
const description = storable(z.string().max(2_000)).nullable()
const secret = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    'This must be `whsec_` and 24 to 64 bytes in base64.',
  )
  .refine(hasSecretLength, 'This must be `whsec_` and 24 to 64 bytes in base64.')
  .describe('Signs the messages; generated when absent.')

function hasSecretLength(text: string): boolean {
  const digits = text.slice('whsec_'.length).replace(/(?<!=)=+$/, '').length
  const bytes = Math.floor((digits * 3) / 4)
  return bytes >= 24 && bytes <= 64
}

export const Webhook = z.object({
  object: z.literal('webhook'),
  id: z.string(),
  url: z.string(),
  events: z.array(WebhookEventType),
  description: z.string().nullable(),
  format,
  enabled: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Webhook = z.output<typeof Webhook>

export const WebhookDelivery = z.object({
  object: z.literal('webhook.delivery'),
  id: z.string(),
  webhook_id: z.string(),
  event_id: z.string().describe('`webhook-id` of the messages: the same for every attempt and replay.'),
  type: WebhookMessageType,
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.array(
    z.object({
      at: z.iso.datetime(),
      status: z.int().nullable().describe('Status of the answer; null without an answer.'),
      error: z.string().nullable(),
      duration_ms: z.number(),
    }),
  ),
  next_attempt_at: z.iso.datetime().nullable(),
  payload: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
})
export type WebhookDelivery = z.output<typeof WebhookDelivery>

const service = 'alias'
const params = z.strictObject({ id: z.string() })

export const createWebhook = endpoint({
  method: 'post',
  path: '/v1/webhooks',
  summary: 'Create a webhook.',
  description:
    'Messages are signed as the Standard Webhooks specification defines, and sent at least once, for up to a day. Only this answer contains the secret.',
  service,
  permission: 'owner_admin',
  maxBodyBytes: 64 * kibibyte,
  body: z.strictObject({
    url,
    events,
    secret: secret.optional(),
    description: description.default(null),
    format: format.default('standard'),
  }),
  reply: Webhook.extend({ secret: z.string() }),
  status: 201,
  errors: ['unknown_parameter', 'conflict'],
})

export const listWebhooks = endpoint({
  method: 'get',
  path: '/v1/webhooks',
  summary: 'List webhooks.',
  description: 'Newest first, without their secrets.',
  service,
  permission: 'any',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Webhook),
  errors: ['unknown_parameter'],
})

export const getWebhook = endpoint({
  method: 'get',
  path: '/v1/webhooks/:id',
  summary: 'Read a webhook.',
  description: 'Without its secret.',
  service,
  permission: 'any',
  params,
  reply: Webhook,
  errors: ['not_found', 'unknown_parameter'],
})

export const updateWebhook = endpoint({
  method: 'patch',
  path: '/v1/webhooks/:id',
  summary: 'Change a webhook.',
  description: 'A field that is left out does not change. With `enabled` false no new messages are sent to it.',
  service,
  permission: 'owner_admin',
  maxBodyBytes: 64 * kibibyte,
  params,
  body: z.strictObject({
    url: url.optional(),
    events: events.optional(),
    secret: secret.optional(),
    description: description.optional(),
    format: format.optional(),
    enabled: z.boolean().optional(),
  }),
  reply: Webhook,
  errors: ['not_found', 'unknown_parameter'],
})

export const deleteWebhook = endpoint({
  method: 'delete',
  path: '/v1/webhooks/:id',
  summary: 'Delete a webhook.',
  description: 'Deletes it with its waiting messages and its deliveries.',
  service,
  permission: 'owner_admin',
  params,
  body: Nothing,
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'unknown_parameter'],
})

export const listDeliveries = endpoint({
  method: 'get',
  path: '/v1/webhooks/:id/deliveries',
  summary: 'List the deliveries of a webhook.',
  description: 'Newest first, every attempt with its answer. They are kept for thirty days.',
  service,
  permission: 'any',
  params,
  query: z.strictObject({
    status: WebhookDelivery.shape.status.optional(),
    type: WebhookMessageType.optional(),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: pageOf(WebhookDelivery),
  errors: ['not_found', 'unknown_parameter'],
})

export const replayDelivery = endpoint({
  method: 'post',
  path: '/v1/webhooks/:id/deliveries/:delivery_id/replay',
  summary: 'Replay a delivery.',
  description: 'Sends it again with the same id and content, whatever the earlier outcome was.',
  service,
  permission: 'owner_admin',
  params: z.strictObject({ id: z.string(), delivery_id: z.string() }),
  body: Nothing,
  reply: WebhookDelivery,
  status: 202,
  errors: ['not_found', 'conflict', 'unknown_parameter'],
})

export const testWebhook = endpoint({
  method: 'post',
  path: '/v1/webhooks/:id/test',
  summary: 'Send a test message.',
  description:
    'Sends a signed message of the type `webhook.test` to this webhook alone, whatever events it asks for, and repeats it like all others. `Prefer: wait=N` shows how the receiver answered.',
  service,
  permission: 'owner_admin',
  guard: true,
  params,
  body: Nothing,
  reply: WebhookDelivery,
  requestHeaders: ['Prefer'],
  status: 202,
  errors: ['not_found', 'conflict', 'unknown_parameter'],
})
