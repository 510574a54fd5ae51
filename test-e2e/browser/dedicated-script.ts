import type { Script } from './scripted-server.ts'

const api = '/api/w/demo/v1/dedicated'
const at = '2026-11-29T12:00:00.000Z'

const endpoint = (id: string, fields: object = {}) => ({
  id,
  object: 'dedicated.endpoint',
  name: 'Support',
  routing_key: 'support-k3m7q2',
  model_id: 'dedicated/support-k3m7q2',
  model: 'sim/small',
  model_version_id: 'mv_1',
  routes: [
    {
      routing_key: 'support-k3m7q2',
      model_id: 'dedicated/support-k3m7q2',
      model_version_id: 'mv_1',
      fingerprint_ok: true,
    },
    { routing_key: 'sales-a2b3c4', model_id: 'dedicated/sales-a2b3c4', model_version_id: 'mv_2', fingerprint_ok: true },
  ],
  max_adapters: 16,
  hardware: 'sim-1x',
  state: 'RUNNING',
  status_message: null,
  last_error: null,
  replicas: [
    { id: 'rep_1', state: 'ready', hardware: 'sim-1x', created_at: at, ready_since: at, adapters_loaded: ['mv_2'] },
    { id: 'rep_2', state: 'starting', hardware: 'sim-1x', created_at: at, ready_since: null, adapters_loaded: [] },
  ],
  desired_replicas: 2,
  min_replicas: 0,
  max_replicas: 3,
  scale_to_zero_after_seconds: 3_600,
  scale_up_window_seconds: 30,
  scale_down_window_seconds: 600,
  target_concurrency: 8,
  max_context_length: 8_192,
  precision: 'auto',
  draining: 600,
  max_hourly_cost_usd: 1.5,
  price_usd_per_hour: 0.6,
  spend: { hour_usd: 0.41, day_usd: 2.2, total_usd: 14.07 },
  held_usd: 0.2,
  requests: { running: 3, waiting: 0 },
  cold_start_ms: { p50: 21_000, p95: 64_000 },
  last_request_at: at,
  metadata: {},
  created_by: 'u1',
  created_at: at,
  ...fields,
})

const failed = endpoint('dep_2', {
  name: 'Night shift',
  routing_key: 'night-shift-a2b3c4',
  model_id: 'dedicated/night-shift-a2b3c4',
  model_version_id: null,
  state: 'FAILED',
  status_message: 'Three replicas in a row failed to start. Start it again when the cause is gone.',
  last_error: 'Its engine exited with code 1.',
  replicas: [],
  desired_replicas: 0,
  max_hourly_cost_usd: null,
  held_usd: 0,
  cold_start_ms: { p50: null, p95: null },
  last_request_at: null,
})

const event = (id: string, state: string, message: string, cost: number) => ({
  id,
  object: 'dedicated.endpoint.event',
  at,
  type: 'state',
  state,
  replica_id: null,
  message,
  cost_usd: cost,
})

const metrics = {
  object: 'dedicated.endpoint.metrics',
  window: '1h',
  requests: 412,
  errors: 1,
  queue_ms_p95: 24_000,
  ttft_ms_p50: 180,
  ttft_ms_p95: 640,
  tokens: 310_400,
  tokens_per_second: 86.2,
  kv_cache_used: 0.34,
  replicas: Array.from({ length: 60 }, (_, minute) => ({
    at: new Date(Date.parse(at) + minute * 60_000).toISOString(),
    ready: minute < 12 ? 0 : minute < 40 ? 2 : 1,
  })),
  cost_usd: 0.41,
}

const hardware = (id: string, fields: object = {}) => ({
  id,
  gpu: null,
  gpu_count: 0,
  gpu_memory_gb: 0,
  price_usd_per_hour: 0.6,
  price_usd_per_second: 0.000167,
  availability: 'available',
  fits: true,
  max_adapters: 16,
  max_context: 8_192,
  ...fields,
})

/** Dedicated endpoints: one that runs a version, and one that failed. */
export const dedicatedScript: Script = {
  [`GET ${api}/endpoints`]: [endpoint('dep_1'), failed],
  [`GET ${api}/endpoints/dep_1`]: endpoint('dep_1'),
  [`GET ${api}/endpoints/dep_2`]: failed,
  [`GET ${api}/endpoints/dep_1/events`]: {
    object: 'list',
    data: [
      event('dev_2', 'RUNNING', 'A replica is ready.', 13.66),
      event('dev_1', 'STARTING', 'A request came while it was scaled to zero.', 13.6),
    ],
  },
  [`GET ${api}/endpoints/dep_2/events`]: { object: 'list', data: [] },
  [`GET ${api}/endpoints/dep_1/metrics`]: metrics,
  [`GET ${api}/endpoints/dep_2/metrics`]: metrics,
  [`GET ${api}/hardware`]: [
    hardware('sim-1x'),
    hardware('h100-1x', {
      gpu: 'H100',
      gpu_count: 1,
      gpu_memory_gb: 80,
      price_usd_per_hour: 3.9,
      availability: 'none',
    }),
  ],
  [`POST ${api}/endpoints/dep_1/stop`]: endpoint('dep_1', { state: 'STOPPING' }),
  [`PATCH ${api}/endpoints/dep_1`]: endpoint('dep_1', { max_replicas: 2 }),
  [`DELETE ${api}/endpoints/dep_1`]: { id: 'dep_1', deleted: true },
}
