import { z } from 'zod'
import { CreateDedicatedEndpoint, enginePrecisions, UpdateDedicatedEndpoint } from './dedicated-body.ts'
import { DedicatedState } from './dedicated-state.ts'
import { endpoint } from './endpoint.ts'
import { storable } from './storable.ts'

const count = z.int().min(0)
const usd = z.number().min(0)
const moment = z.iso.datetime()

export const replicaStates = ['waiting', 'starting', 'ready', 'draining'] as const

/** One engine of an endpoint. */
export const DedicatedReplica = z.object({
  id: z.string(),
  state: z
    .enum(replicaStates)
    .describe(
      '`waiting`: for hardware. `ready` and `draining` are charged. `draining`: it finishes its requests and ends.',
    ),
  hardware: z.string(),
  created_at: moment,
  ready_since: moment.nullable(),
  adapters_loaded: z.array(z.string()).describe('Ids of the versions of `routes` that it was proven to answer as.'),
})

/** A name under which requests reach an endpoint. */
export const DedicatedRoute = z.object({
  routing_key: z.string(),
  model_id: z.string().describe('What requests name as their `model`: `dedicated/<routing_key>`.'),
  model_version_id: z.string().nullable().describe('The version that answers; null for the base model.'),
  fingerprint_ok: z
    .boolean()
    .nullable()
    .describe(
      'Whether each ready replica answers the probes as the trainer of the version did, or, for the base, names it. Null while none was asked. Requests get to those that do.',
    ),
})

const percentiles = z.object({ p50: z.number().nullable(), p95: z.number().nullable() })

export const DedicatedEndpoint = z.object({
  id: z.string(),
  object: z.literal('dedicated.endpoint'),
  name: z.string(),
  routing_key: z.string().describe('Never given to another endpoint, also after this one is deleted.'),
  model_id: z.string().describe('What requests name as their `model`: `dedicated/<routing_key>`.'),
  model: z.string().describe('The model that it serves, or the base of its version.'),
  model_version_id: z
    .string()
    .nullable()
    .describe('The version whose adapter answers; a replica is ready once it answered the probes as the trainer did.'),
  routes: z.array(DedicatedRoute).describe('That of `model_id` first, then one for each of its adapters.'),
  max_adapters: count.describe('Adapters that it may have; 0: it was created without any.'),
  hardware: z.string(),
  state: DedicatedState.describe(
    '`PENDING`: waits for hardware. `UPDATING`: a change is carried out, and requests are answered. `SCALED_TO_ZERO`: a request starts it. `STOPPED`, `FAILED`: it has to be started.',
  ),
  status_message: z.string().nullable().describe('Why it is in this state, and what can be done.'),
  last_error: z.string().nullable().describe('Of the last replica that failed.'),
  replicas: z.array(DedicatedReplica),
  desired_replicas: count,
  min_replicas: count,
  max_replicas: count,
  scale_to_zero_after_seconds: count.nullable(),
  scale_up_window_seconds: count,
  scale_down_window_seconds: count,
  target_concurrency: count,
  max_context_length: count,
  precision: z.enum(enginePrecisions),
  draining: count,
  max_hourly_cost_usd: usd.nullable(),
  price_usd_per_hour: usd.describe('Of one replica, as it was when the endpoint was created.'),
  spend: z
    .object({ hour_usd: usd, day_usd: usd, total_usd: usd })
    .describe(
      'Of the last hour, the last day and since its creation, with what the windows that run have cost so far.',
    ),
  held_usd: usd.describe('Held for the windows of five minutes that run and come next.'),
  requests: z
    .object({ running: count, waiting: count })
    .describe('Now; those that wait are held until it has started.'),
  cold_start_ms: percentiles.describe('Of its last 20 starts, until the replica was ready; null without any.'),
  last_request_at: moment.nullable(),
  metadata: z.record(z.string(), z.string()),
  created_by: z.string(),
  created_at: moment,
})
export type DedicatedEndpoint = z.infer<typeof DedicatedEndpoint>

export const DedicatedHardware = z.object({
  id: z.string(),
  gpu: z.string().nullable().describe('Null: it has none.'),
  gpu_count: count,
  gpu_memory_gb: z.number().min(0),
  price_usd_per_hour: usd,
  price_usd_per_second: usd,
  availability: z
    .enum(['available', 'queued', 'none'])
    .describe('`queued`: all of it is in use, and a replica waits. `none`: this installation has none at present.'),
  fits: z.boolean().nullable().describe('Whether the model of the query runs on it; null without a model.'),
  max_adapters: count.describe('Adapters that an endpoint on it may have.'),
  max_context: count.nullable().describe('Maximum tokens of prompt and answer of that model; null without a model.'),
})
export type DedicatedHardware = z.infer<typeof DedicatedHardware>

export const DedicatedEvent = z.object({
  id: z.string(),
  object: z.literal('dedicated.endpoint.event'),
  at: moment,
  type: z.enum(['state', 'replica', 'changed']),
  state: DedicatedState.describe('Of the endpoint, after the event.'),
  replica_id: z.string().nullable(),
  message: z.string(),
  cost_usd: usd.describe('Of the endpoint until then.'),
})
export type DedicatedEvent = z.infer<typeof DedicatedEvent>

export const metricWindows = ['15m', '1h', '24h', '7d'] as const

export const DedicatedMetrics = z.object({
  object: z.literal('dedicated.endpoint.metrics'),
  window: z.enum(metricWindows),
  requests: count.describe('Answered or not.'),
  errors: count.describe('Without a complete answer.'),
  queue_ms_p95: z
    .number()
    .nullable()
    .describe('How long requests were held before a replica was ready. Null without any.'),
  ttft_ms_p50: z
    .number()
    .nullable()
    .describe('Until the first byte of streamed answers, from the arrival of the request.'),
  ttft_ms_p95: z.number().nullable(),
  tokens: count,
  tokens_per_second: z.number().describe('Tokens of prompts and answers, on average over the window.'),
  kv_cache_used: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Share of the KV cache that is in use now, on average of the ready replicas. Null when none says it.'),
  replicas: z.array(z.object({ at: moment, ready: count })).describe('Ready replicas over the window, at 60 moments.'),
  cost_usd: usd.describe('Of the windows of five minutes that began in it.'),
})
export type DedicatedMetrics = z.infer<typeof DedicatedMetrics>

const service = 'training'
const params = z.strictObject({ id: z.string() })
const change = { service, permission: 'owner_admin', params } as const
const read = { service, permission: 'any', method: 'get' } as const
const flat =
  'Keys are in camelCase or in snake_case. A key in both spellings with different values, and `minReplicas` over `maxReplicas`, are answered with 400 and `{"error": "<message>"}`.'

export const createDedicatedEndpoint = endpoint({
  service,
  permission: 'owner_admin',
  method: 'post',
  path: '/v1/dedicated/endpoints',
  summary: 'Create a dedicated endpoint.',
  description: `Starts replicas of a model for this workspace alone. Each second in which a replica is ready is charged, in windows of five minutes that are held ahead; requests cost nothing. The wallet must cover an hour of all replicas. ${flat}`,
  guard: true,
  status: 202,
  body: CreateDedicatedEndpoint,
  reply: DedicatedEndpoint,
  refusesFlatly: true,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'unknown_parameter',
    'model_not_found',
    'not_found',
    'incompatible_adapter',
    'insufficient_balance',
    'quota_exceeded',
    'idempotency_conflict',
    'conflict',
    'request_too_large',
    'unsupported_media_type',
    'no_capacity',
  ],
})

export const listDedicatedEndpoints = endpoint({
  ...read,
  path: '/v1/dedicated/endpoints',
  summary: 'List the dedicated endpoints.',
  description: 'A plain array, newest first, without deleted ones.',
  reply: z.array(DedicatedEndpoint),
  errors: ['unknown_parameter'],
})

export const getDedicatedEndpoint = endpoint({
  ...read,
  params,
  path: '/v1/dedicated/endpoints/:id',
  summary: 'Read a dedicated endpoint.',
  description: 'With its replicas and its cost until now.',
  reply: DedicatedEndpoint,
  errors: ['unknown_parameter', 'not_found'],
})

export const updateDedicatedEndpoint = endpoint({
  ...change,
  method: 'patch',
  path: '/v1/dedicated/endpoints/:id',
  summary: 'Change a dedicated endpoint.',
  description: `Changes its name, replicas, windows, adapters and maximum cost. Its model or version, hardware, context length and precision cannot be changed. ${flat}`,
  body: UpdateDedicatedEndpoint,
  reply: DedicatedEndpoint,
  refusesFlatly: true,
  errors: [
    'unknown_parameter',
    'immutable_parameter',
    'incompatible_adapter',
    'conflict',
    'not_found',
    'request_too_large',
    'unsupported_media_type',
  ],
})

export const startDedicatedEndpoint = endpoint({
  ...change,
  method: 'post',
  path: '/v1/dedicated/endpoints/:id/start',
  summary: 'Start a dedicated endpoint.',
  description:
    'One that has started, or is starting, is returned as it is. The wallet must cover an hour of all replicas.',
  guard: true,
  reply: DedicatedEndpoint,
  errors: ['unknown_parameter', 'not_found', 'conflict', 'insufficient_balance'],
})

export const stopDedicatedEndpoint = endpoint({
  ...change,
  method: 'post',
  path: '/v1/dedicated/endpoints/:id/stop',
  summary: 'Stop a dedicated endpoint.',
  description:
    'Its replicas finish their requests, which is not charged, and end. One that is stopped is returned as it is.',
  reply: DedicatedEndpoint,
  errors: ['unknown_parameter', 'not_found'],
})

export const deleteDedicatedEndpoint = endpoint({
  ...change,
  method: 'delete',
  path: '/v1/dedicated/endpoints/:id',
  summary: 'Delete a dedicated endpoint.',
  description:
    'Requests to it are refused from now on; those that run are finished. Its routing key is never used again.',
  reply: z.object({ id: z.string(), deleted: z.literal(true) }),
  errors: ['unknown_parameter', 'not_found'],
})

export const listDedicatedEvents = endpoint({
  ...read,
  params,
  path: '/v1/dedicated/endpoints/:id/events',
  summary: 'List the events of a dedicated endpoint.',
  description: 'Changes of its state, with their cause and its cost until then; newest first, at most 500.',
  reply: z.object({ object: z.literal('list'), data: z.array(DedicatedEvent) }),
  errors: ['unknown_parameter', 'not_found'],
})

export const getDedicatedMetrics = endpoint({
  ...read,
  params,
  path: '/v1/dedicated/endpoints/:id/metrics',
  summary: 'Read the metrics of a dedicated endpoint.',
  description: 'Its requests, speed, replicas and cost in a window that ends now.',
  query: z.strictObject({ window: z.enum(metricWindows).default('1h') }),
  reply: DedicatedMetrics,
  errors: ['unknown_parameter', 'not_found'],
})

export const listDedicatedHardware = endpoint({
  ...read,
  path: '/v1/dedicated/hardware',
  summary: 'List the hardware of dedicated endpoints.',
  description: 'A plain array with prices and availability.',
  query: z.strictObject({ model: storable(z.string().max(200)).optional() }),
  reply: z.array(DedicatedHardware),
  errors: ['unknown_parameter', 'model_not_found'],
})
