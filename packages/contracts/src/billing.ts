import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { moment, wholeNumber } from './query-values.ts'

const service = 'inference'
const audience = 'session'

/** Nano-dollars as the digits of an integer, because a JSON number cannot hold every one. */
const Nano = z.string().regex(/^-?\d{1,19}$/)
const positiveNano = /^[1-9]\d{0,18}$/
const format = z.enum(['json', 'csv']).default('json')

/** A period from `from` to before `to`. */
const period = {
  from: moment.optional().describe('Start of the period; by default 30 days before its end.'),
  to: moment.optional().describe('End of the period, which is not part of it; by default now.'),
}

export const Wallet = z.object({
  object: z.literal('wallet'),
  balance_nano: Nano.describe('Every charge that was made is in it.'),
  held_nano: Nano.describe('By running requests, and by blocks that processes hold for requests to come.'),
  in_blocks_nano: Nano.describe('The part of `held_nano` that is in blocks.'),
  available_nano: Nano,
  open_holds: z.int().describe('Number of running requests with a row of their own.'),
  oldest_holds: z
    .array(z.object({ request_id: z.string(), model: z.string(), hold_nano: Nano, opened_at: z.iso.datetime() }))
    .describe('The oldest 20 of them.'),
  alert: z
    .object({ threshold_nano: Nano, is_below: z.boolean(), changed_at: z.iso.datetime().nullable() })
    .nullable()
    .describe('Null when no alert is set.'),
  audit: z
    .object({ agree: z.boolean(), audited_at: z.iso.datetime() })
    .nullable()
    .describe('The last audit of the ledger; null when there was none since the process started.'),
  top_ups: z.enum(['hosted', 'operator']).describe('`operator`: only the operator credits wallets.'),
})

export const readSessionWallet = endpoint({
  method: 'get',
  path: '/session/wallet',
  summary: 'Read the wallet.',
  description: 'All amounts are of the same moment.',
  service,
  audience,
  permission: 'owner_admin',
  reply: Wallet,
})

export const setWalletAlert = endpoint({
  method: 'put',
  path: '/session/wallet/alert',
  summary: 'Set the alert of the wallet.',
  description:
    'When what is available falls below the threshold, the webhook event `wallet.low` is sent once. It is sent again after the wallet was above it.',
  service,
  audience,
  permission: 'owner',
  body: z.strictObject({
    threshold_nano: z.string().regex(positiveNano, 'This must be nano-dollars, at least 1.').nullable(),
  }),
  reply: z.object({ threshold_nano: Nano.nullable() }),
})

export const TopUp = z.object({
  object: z.literal('top_up'),
  id: z.string(),
  status: z.enum(['pending', 'credited', 'refused']).describe('`refused`: what was paid is not what was asked for.'),
  amount_nano: Nano,
  created_by: z.string(),
  created_at: z.iso.datetime(),
  credited_at: z.iso.datetime().nullable(),
})

/** Bounds of one top-up in whole cents. Stripe takes no less than 50 cents, and at most eight digits. */
export const topUpBounds = { minCents: 100, maxCents: 99_999_999 } as const

export const startTopUp = endpoint({
  method: 'post',
  path: '/session/wallet/top_ups',
  summary: 'Begin to pay into the wallet.',
  description:
    'Returns the page of the payment provider. The wallet is credited when the provider reports the payment. Where top-ups are made by the operator, this is a 409 `conflict`.',
  service,
  audience,
  permission: 'owner',
  needsFreshSignIn: true,
  body: z.strictObject({
    amount_cents: wholeNumber({ min: topUpBounds.minCents, max: topUpBounds.maxCents }).describe('US cents.'),
    return_path: z
      .string()
      .max(300)
      .regex(/^\/[A-Za-z0-9][A-Za-z0-9/_-]*$/, 'This must be a path of the dashboard.')
      .describe('The page of the dashboard to which the payment page leads back.'),
  }),
  status: 201,
  errors: ['conflict', 'upstream_error'],
  reply: TopUp.extend({ url: z.string().describe('The page of the payment provider.') }),
})

export const listTopUps = endpoint({
  method: 'get',
  path: '/session/wallet/top_ups',
  summary: 'List top-ups that were begun.',
  description: 'The newest 100.',
  service,
  audience,
  permission: 'owner',
  reply: z.object({ object: z.literal('list'), data: z.array(TopUp) }),
})

export const LedgerEntry = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  reason: z
    .enum(['top_up', 'usage', 'expiry', 'late_post', 'correction'])
    .describe('`correction`: an operator changed the wallet.'),
  amount_nano: Nano.describe('Added to the balance; negative for charges.'),
  balance_nano: Nano.describe('After this entry.'),
  charges: z
    .int()
    .nullable()
    .describe('Number of requests that it sums up; null for one request, a top-up and a correction.'),
  reference: z.string().describe('The payment, the request, the training job, or the block of requests.'),
  note: z.string().nullable(),
})

export const listLedger = endpoint({
  method: 'get',
  path: '/session/ledger',
  summary: 'List entries of the ledger.',
  description: 'The newest first. As CSV at most 10,000 entries.',
  service,
  audience,
  permission: 'owner',
  query: z.strictObject({
    limit: wholeNumber({ min: 1, max: 10_000 })
      .optional()
      .describe('By default 50, as CSV 10,000; at most 200 as JSON.'),
    after: z.string().max(80).optional().describe('`next` of the page before.'),
    ...period,
    format,
  }),
  downloads: ['text/csv'],
  reply: z.object({ object: z.literal('list'), data: z.array(LedgerEntry), next: z.string().nullable() }),
})

export const usageGroups = ['key', 'user', 'model', 'tag', 'alias', 'purpose', 'day'] as const
export type UsageGroup = (typeof usageGroups)[number]

const usageSums = {
  requests: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cost_nano: Nano,
}

export const Usage = z.object({
  object: z.literal('usage'),
  group_by: z.enum(usageGroups),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  charges_nano: Nano.describe(
    'What the ledger charged in the period: the sum of all groups and of the unattributed rest.',
  ),
  unattributed_nano: Nano.describe('Charged by releases that did not record what for.'),
  groups: z.array(
    z.object({
      group: z
        .string()
        .nullable()
        .describe('Null: without a key, end user, tag or alias. An end user whose name was erased has a number.'),
      ...usageSums,
    }),
  ),
  others: z
    .object({ groups: z.int(), ...usageSums })
    .nullable()
    .describe('The sum of groups beyond the most expensive 500.'),
  series: z
    .array(
      z.object({
        day: z.string().describe('A day (UTC), as 2026-11-24.'),
        kind: z.enum(['group', 'others', 'unattributed']),
        group: z.string().nullable(),
        cost_nano: Nano,
      }),
    )
    .describe('Charges by day: of the most expensive 5 groups, of all others together, and the unattributed rest.'),
})

export const readUsage = endpoint({
  method: 'get',
  path: '/session/usage',
  summary: 'Read what charges were for.',
  description: 'Whole hours (UTC): a period begins and ends with the hour that its bounds are in.',
  service,
  audience,
  permission: 'owner',
  query: z.strictObject({ group_by: z.enum(usageGroups).default('model'), ...period, format }),
  downloads: ['text/csv'],
  reply: Usage,
})

const StatementCredit = z.object({ at: z.iso.datetime(), amount_nano: Nano, reference: z.string() })

export const Statement = z.object({
  object: z.literal('statement'),
  month: z.string(),
  opening_nano: Nano,
  credits_nano: Nano,
  corrections_nano: Nano.describe('By operators; negative when they took more than they gave.'),
  charges_nano: Nano,
  closing_nano: Nano.describe('opening + credits + corrections − charges'),
  credits: z.array(StatementCredit),
  corrections: z.array(StatementCredit),
  usage: Usage.pick({ groups: true, others: true, unattributed_nano: true }).describe('Charges by model.'),
})

export const readStatement = endpoint({
  method: 'get',
  path: '/session/statements/:month',
  summary: 'Read the statement of a month.',
  description: 'A month (UTC) that has begun.',
  service,
  audience,
  permission: 'owner',
  params: z.strictObject({
    month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'This must be a month such as 2026-11.'),
  }),
  query: z.strictObject({ format }),
  downloads: ['text/csv'],
  reply: Statement,
})

/** What a payment provider reports about a payment, as its webhook received it. */
export const receivePayment = endpoint({
  method: 'post',
  path: '/internal/payments/:provider',
  summary: 'Take a message of a payment provider.',
  description: 'The message is checked by its signature. Repetitions change nothing.',
  service,
  audience: 'internal',
  callers: ['dashboard'],
  params: z.strictObject({ provider: z.enum(['stripe']) }),
  body: z.strictObject({
    payload: z.string().max(262_144).describe('The body as it was sent.'),
    signature: z.string().max(2_000),
  }),
  reply: z.object({ accepted: z.boolean().describe('False for a message about anything but a payment of a top-up.') }),
})

export const billingEndpoints = [
  readSessionWallet,
  setWalletAlert,
  startTopUp,
  listTopUps,
  listLedger,
  readUsage,
  readStatement,
]
