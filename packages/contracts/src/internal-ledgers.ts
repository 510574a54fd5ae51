import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'

/** Nano-dollars as the digits of an integer. */
const Nano = z.string().regex(/^-?\d{1,19}$/)
const ofOperators = { service: 'inference', audience: 'internal', callers: ['dashboard'] } as const

export const Credit = z.object({
  workspace_id: z.uuid(),
  at: z.iso.datetime(),
  amount_nano: Nano.describe('Negative for a correction that took something.'),
  reference: z.string(),
  /** A process of the previous release states none, and knows no corrections. */
  kind: z.enum(['top_up', 'correction']).default('top_up'),
})

export const listCredits = endpoint({
  ...ofOperators,
  method: 'get',
  path: '/internal/credits',
  summary: 'List what was paid into wallets, and corrections of them.',
  description:
    'Newest first. One for another ledger than the main one is listed when it is claimed, just before that ledger has it.',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Credit),
})

export const LedgerAudit = z.object({
  ledger: z.string(),
  audited_at: z.iso.datetime(),
  checked: z.int().describe('Number of invariants.'),
  violations: z.array(
    z.object({ invariant: z.string(), count: z.int(), example: z.string().describe('The id of one.') }),
  ),
  open_requests: z.int(),
  oldest_open_seconds: z.number().describe('0 without an open request.'),
  overdue_requests: z.int().describe('More than a minute after their deadline; the sweeper should have closed them.'),
  held_nano: Nano,
  written_off_nano: Nano.describe('Cost above holds, not charged to any wallet.'),
})

export const readLedgerAudits = endpoint({
  ...ofOperators,
  method: 'get',
  path: '/internal/ledger_audits',
  summary: 'Read the last audit of each ledger.',
  description: 'As the process that answers made it: every five minutes, and now when it made none since its start.',
  reply: z.object({ object: z.literal('list'), data: z.array(LedgerAudit) }),
})
