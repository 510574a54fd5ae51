import type { Script } from './scripted-server.ts'

const at = '2026-11-18T10:00:00.000Z'
const parameters = {
  type: 'object',
  properties: { order_id: { type: 'string' }, session: { type: 'string' } },
  required: ['order_id'],
}

const recorded = {
  id: 'tool_1',
  object: 'environment_tool',
  name: 'search_orders',
  description: 'Finds an order of the customer by its number.',
  parameters,
  kind: 'recorded',
  http: null,
  static: null,
  recorded: {
    tool_name: 'search_orders',
    match: 'normalized',
    key_arguments: [],
    ignore_arguments: ['session'],
    on_miss: 'error',
    recordings: 412,
    coverage_on_holdout: 0.83,
  },
  usable_as: ['tool'],
  side_effects: false,
  max_calls_per_rollout: 10,
  stats: { calls: 1_000, errors: 61, timeouts: 0, p50_ms: 3.2, p95_ms: 9.8, hit_rate: 0.79 },
  version: 2,
  created_at: at,
  updated_at: at,
}

const address = {
  ...recorded,
  id: 'tool_2',
  name: 'shop',
  kind: 'http',
  recorded: null,
  http: {
    url: 'https://tools.example.com/shop',
    method: 'POST',
    headers: {},
    secret_header_names: ['Authorization'],
    timeout_ms: 10_000,
    max_response_bytes: 16_384,
    max_concurrency: 8,
    retries: 1,
  },
  stats: { calls: 0, errors: 0, timeouts: 0, p50_ms: null, p95_ms: null, hit_rate: null },
}

const tools = '/api/w/demo/v1/environment_tools'

/** A tool that is recorded from traces, and one at an address. */
export const toolsScript: Script = {
  [`GET ${tools}`]: { object: 'list', data: [recorded, address], total: 2, limit: 100, offset: 0, has_more: false },
  [`GET ${tools}/tool_1`]: recorded,
  [`GET ${tools}/tool_2`]: address,
  [`POST ${tools}/tool_1/test`]: {
    ok: true,
    result: '{"state":"delivered"}',
    truncated: false,
    done: false,
    reward: null,
    recorded_hit: true,
    error: null,
    status: null,
    duration_ms: 4,
  },
}
