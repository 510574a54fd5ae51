import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { endpoint } from './endpoint.ts'
import { WebhookEventType } from './webhooks.ts'

/** Endpoints of the alias service for other services. The edge does not forward to them. */
const service = 'alias'

const count = z.int().min(0)

export const arms = ['target', 'canary'] as const
export const Arm = z.enum(arms)
export type Arm = z.infer<typeof Arm>

/** The traffic on one arm of an alias since the last report. */
export const ArmTraffic = z.object({
  alias_id: z.uuid(),
  epoch: z.int().min(1).describe('Epoch of the split.'),
  arm: Arm,
  assigned: count,
  served: count,
  errors: count,
  cost_usd: z.number().min(0),
  cost_usd_squared: z.number().min(0).describe('Sum of the squares of all costs.'),
  latencies: z.record(z.string().regex(/^\d{1,4}$/), count).describe('Number of answers by latency bucket.'),
})
export type ArmTraffic = z.infer<typeof ArmTraffic>

export const reportAliasTraffic = endpoint({
  method: 'post',
  path: '/internal/alias/traffic',
  summary: 'Report the traffic on the arms of aliases.',
  description: 'Reports of a reporter are numbered, and each number is counted once.',
  service,
  audience: 'internal',
  callers: ['inference'],
  maxBodyBytes: 16 * mebibyte,
  body: z.strictObject({
    reporter: z.uuid().describe('Identifies a process from its start to its end.'),
    sequence: z.int().min(1).describe('Increases by one with every report.'),
    arms: z.array(ArmTraffic).max(1_000),
  }),
  reply: z.object({ counted: z.boolean().describe('False for a report that was counted before.') }),
})

export const aliasesOfCriterion = endpoint({
  method: 'get',
  path: '/internal/alias/gates',
  summary: 'List aliases whose gate relies on a judge.',
  description: 'Sorted by name, at most ten.',
  service,
  audience: 'internal',
  callers: ['judging'],
  query: z.strictObject({ criterion_id: z.string() }),
  reply: z.object({ aliases: z.array(z.string()) }),
})

export const aliasProgress = endpoint({
  method: 'get',
  path: '/internal/alias/progress',
  summary: 'Count the aliases of a workspace.',
  description: 'For the setup status.',
  service,
  audience: 'internal',
  callers: ['logging'],
  reply: z.object({ aliases: z.int() }),
})

export const publishWebhookEvent = endpoint({
  method: 'post',
  path: '/internal/webhooks/events',
  summary: 'Send an event to the webhooks of a workspace.',
  description: 'An event is sent once per id, however often it is published.',
  service,
  audience: 'internal',
  callers: ['judging', 'eval', 'inference', 'training', 'voice'],
  body: z.strictObject({
    id: z.uuid(),
    type: WebhookEventType,
    timestamp: z.iso.datetime(),
    data: z.record(z.string(), z.unknown()),
  }),
  reply: z.object({ accepted: z.boolean().describe('False for an event that was published before.') }),
})
