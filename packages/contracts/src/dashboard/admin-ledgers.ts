import { z } from 'zod'
import { Credit, LedgerAudit } from '../internal-ledgers.ts'
import { pageLimit, pageOf, pageOffset } from '../page.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { listReplyOf, Slug } from './values.ts'

const ofOperators = { permission: 'operator', needsFreshSignIn: true } as const
const page = z.strictObject({ limit: pageLimit, offset: pageOffset })

export const AdminCredit = Credit.omit({ workspace_id: true }).extend({ slug: z.string() })

export const listAllCredits = dashboardEndpoint({
  method: 'get',
  path: '/api/admin/credits',
  summary:
    'List what was paid into wallets, by operators and through the payment provider, and corrections of them, newest first.',
  ...ofOperators,
  query: page,
  reply: pageOf(AdminCredit),
  errors: ['service_unavailable'],
})

export const readLedgers = dashboardEndpoint({
  method: 'get',
  path: '/api/admin/ledgers',
  summary: 'Read what the last audit of each ledger found.',
  ...ofOperators,
  reply: listReplyOf(LedgerAudit),
  errors: ['service_unavailable'],
})

export const WorkQueue = z.object({
  queue: z.string(),
  pending: z.int(),
  due: z.int().describe('That a worker could take now.'),
  oldest_due_seconds: z.number(),
  leased: z.int(),
  dead_lettered: z.int(),
})

export const DeadLetter = z.object({
  queue: z.string(),
  source: z.string().nullable().describe('What it was for; null for a queue with one purpose.'),
  slug: z.string().describe('The workspace.'),
  error: z.string().describe('The last error, with texts of other hosts.'),
  count: z.int(),
  example: z.string().describe('The id of one.'),
  can_retry: z.boolean().describe('Only judgements of monitored traffic. Other work is started again as a whole.'),
})

export const readWork = dashboardEndpoint({
  method: 'get',
  path: '/api/admin/work',
  summary: 'Read how much work waits, runs and is dead-lettered, and the reasons by workspace.',
  ...ofOperators,
  query: page,
  reply: pageOf(DeadLetter).extend({ queues: z.array(WorkQueue) }),
})

export const retryWork = dashboardEndpoint({
  method: 'post',
  path: '/api/admin/work/retry',
  summary: 'Retry the dead-lettered judgements of a workspace that have this error. Its audit names the operator.',
  ...ofOperators,
  body: z.strictObject({ slug: Slug, error: z.string().max(10_000) }),
  reply: z.object({ object: z.literal('retry'), retried: z.int() }),
  errors: ['not_found'],
})
