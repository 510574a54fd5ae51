import type { Script } from './scripted-server.ts'

const at = '2026-11-20T10:00:00.000Z'
const from = '2026-11-19T00:00:00.000Z'
const to = '2026-11-21T00:00:00.000Z'
const requestId = '00000000-0000-7000-8000-0000000000aa'
const sums = { requests: 1_204, prompt_tokens: 91_000, completion_tokens: 14_000 }

/** The money and the failed requests of a workspace, as its owner sees them. */
export const moneyScript: Script = {
  'GET /api/w/demo/session/wallet': {
    object: 'wallet',
    balance_nano: '41250000000',
    held_nano: '163840000',
    in_blocks_nano: '0',
    available_nano: '41086160000',
    open_holds: 1,
    oldest_holds: [{ request_id: requestId, model: 'sim/large', hold_nano: '163840000', opened_at: at }],
    alert: { threshold_nano: '50000000000', is_below: true, changed_at: at },
    audit: { agree: true, audited_at: at },
    top_ups: 'hosted',
  },
  'GET /api/w/demo/session/wallet/top_ups': {
    object: 'list',
    data: ['pending', 'credited', 'refused'].map((status) => ({
      object: 'top_up',
      id: status,
      status,
      amount_nano: '20000000000',
      created_by: requestId,
      created_at: at,
      credited_at: null,
    })),
  },
  'GET /api/w/demo/session/ledger': {
    object: 'list',
    data: [
      {
        id: '1',
        at,
        reason: 'usage',
        amount_nano: '-588000',
        balance_nano: '41250000000',
        charges: 37,
        reference: requestId,
        note: null,
      },
    ],
    next: null,
  },
  'GET /api/w/demo/session/budgets': {
    object: 'list',
    data: [
      {
        id: '00000000-0000-7000-8000-0000000000b1',
        scope: 'workspace',
        subject: '',
        period: 'month',
        amount_nano: '50000000000',
        fallback_model: 'sim/small',
        warn_at_nano: '40000000000',
        window_start: from,
        spend: [{ subject: '', amount_nano: '50000000000', spent_nano: '41250000000', held_nano: '0' }],
      },
      {
        id: '00000000-0000-7000-8000-0000000000b2',
        scope: 'user',
        subject: '*',
        period: 'day',
        amount_nano: '1000000000',
        fallback_model: null,
        warn_at_nano: null,
        window_start: from,
        spend: [{ subject: 'ann@example.com', amount_nano: '1000000000', spent_nano: '1000000000', held_nano: '0' }],
      },
    ],
  },
  'GET /api/w/demo/session/usage': {
    object: 'usage',
    group_by: 'model',
    from,
    to,
    charges_nano: '7300000000',
    unattributed_nano: '300000000',
    groups: [{ group: 'sim/large', ...sums, cost_nano: '7000000000' }],
    others: null,
    series: [
      { day: '2026-11-20', kind: 'group', group: 'sim/large', cost_nano: '7000000000' },
      { day: '2026-11-20', kind: 'unattributed', group: null, cost_nano: '300000000' },
    ],
  },
  'GET /api/w/demo/session/failures': {
    object: 'failures',
    group_by: 'cause',
    from,
    to,
    requests: 120,
    answered: 100,
    cached: 8,
    client_left: 2,
    failed: 10,
    latency: { p50_ms: 612, p95_ms: 2_140 },
    groups: [
      {
        group: 'no_credit',
        failed: 10,
        what_to_do: 'The wallet does not cover the maximum cost. Top up, or lower max_tokens.',
        first_at: at,
        last_at: at,
        last_request_id: requestId,
      },
    ],
    others: null,
    series: [
      { at, outcome: 'answered', count: 100 },
      { at, outcome: 'cached', count: 8 },
      { at, outcome: 'client_left', count: 2 },
      { at, outcome: 'no_credit', count: 10 },
    ],
  },
}
