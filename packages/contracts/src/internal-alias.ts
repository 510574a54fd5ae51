import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { WebhookEventType } from './webhooks.ts'

/** What other services tell the alias service and ask of it; the edge has no way here. */
const service = 'alias'

const count = z.int().min(0)

export const arms = ['target', 'canary'] as const
export const Arm = z.enum(arms)
export type Arm = z.infer<typeof Arm>

/** What came by on one arm of an alias since the last report. */
export const ArmTraffic = z.object({
  alias_id: z.uuid(),
  epoch: z.int().min(1).describe('Of the split that was in force.'),
  arm: Arm,
  assigned: count,
  served: count,
  errors: count,
  cost_usd: z.number().min(0),
  cost_usd_squared: z.number().min(0).describe('Sum of the squares of all costs.'),
  latencies: z.record(z.string().regex(/^\d{1,4}$/), count).describe('Whole answers by the bucket of their latency.'),
})
export type ArmTraffic = z.infer<typeof ArmTraffic>

export const reportAliasTraffic = endpoint({
  method: 'post',
  path: '/internal/alias/traffic',
  summary: 'Report what came by on the arms of aliases.',
  description: 'Counted once however often it is sent: reports of a reporter are numbered.',
  service,
  body: z.strictObject({
    reporter: z.uuid().describe('A process, for as long as it runs.'),
    sequence: z.int().min(1).describe('One more with every report.'),
    arms: z.array(ArmTraffic).max(1_000),
  }),
  reply: z.object({ counted: z.boolean().describe('False for a report that was counted before.') }),
})

export const aliasesOfCriterion = endpoint({
  method: 'get',
  path: '/internal/alias/gates',
  summary: 'List aliases whose gate relies on a judge.',
  description: 'By name, at most ten.',
  service,
  query: z.strictObject({ criterion_id: z.string() }),
  reply: z.object({ aliases: z.array(z.string()) }),
})

export const aliasProgress = endpoint({
  method: 'get',
  path: '/internal/alias/progress',
  summary: 'See how far a workspace is with aliases.',
  description: 'A number for the setup status.',
  service,
  reply: z.object({ aliases: z.int() }),
})

export const publishWebhookEvent = endpoint({
  method: 'post',
  path: '/internal/webhooks/events',
  summary: 'Tell the webhooks of a workspace of an event.',
  description: 'Once for an id, however often it is sent.',
  service,
  body: z.strictObject({
    id: z.uuid(),
    type: WebhookEventType,
    timestamp: z.iso.datetime(),
    data: z.record(z.string(), z.unknown()),
  }),
  reply: z.object({ accepted: z.boolean().describe('False for an event that was known.') }),
})
