import { z } from 'zod'
import { Trust, Verdict } from '../criteria.ts'
import { mountedEndpoint } from '../endpoint.ts'
import { arms } from '../internal-alias.ts'
import { pageLimit, pageOf, pageOffset } from '../page.ts'
import { moment, wholeNumber } from '../query-values.ts'
import { storable } from '../storable.ts'
import { E164 } from './agent-fields.ts'
import { CallEvent } from './call-events.ts'
import { endReasons } from './end-reasons.ts'
import { CreateCall, callVersion } from './new-call.ts'
import { numberProviders } from './number-providers.ts'
import { CallRecording } from './recordings.ts'
import { voiceEnvironments } from './voice-key.ts'

export const callStatuses = [
  'queued',
  'dialing',
  'ringing',
  'in_progress',
  'completed',
  'voicemail',
  'canceled',
  'no_answer',
  'busy',
  'failed',
] as const
export type CallStatus = (typeof callStatuses)[number]

/** `phone`: by a number of the workspace. */
export const callTypes = ['web', 'phone'] as const
export type CallType = (typeof callTypes)[number]

export const callDirections = ['inbound', 'outbound'] as const
export type CallDirection = (typeof callDirections)[number]

/** Who ended a call. */
export const callEnders = ['caller', 'agent', 'api', 'system'] as const
export type CallEnder = (typeof callEnders)[number]

export const CallCarrier = z.object({
  provider: z.enum(numberProviders),
  id: z.string().nullable().describe('The id of the call at the carrier: for SIP its Call-ID.'),
  sip_status: z.int().nullable().describe('With which the carrier refused the call.'),
})
export type CallCarrier = z.infer<typeof CallCarrier>

const shown = {
  object: z.literal('call'),
  id: z.string(),
  type: z.enum(callTypes),
  direction: z.enum(callDirections).nullable().describe('Of a call of type `phone`.'),
  number_id: z.string().nullable().describe('The number of the workspace.'),
  to_number: z.string().nullable(),
  from_number: z.string().nullable().describe('Of an incoming call, what the carrier states.'),
  carrier: CallCarrier.nullable(),
  status: z.enum(callStatuses),
  env: z.enum(voiceEnvironments),
  agent_id: z.string(),
  agent_version: callVersion,
  arm: z
    .enum(arms)
    .nullable()
    .describe('Of the canary of the agent; null without one, and for a call that named its version.'),
  trace_id: z.string().describe('The trace of its requests to models: the id of the call.'),
  variables: z.record(z.string(), z.string()).describe('Without those that the agent declares secret.'),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
  schedule_at: z.iso.datetime().nullable().describe('Before which it is not dialed.'),
  answered_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  duration_seconds: z.number().min(0).nullable().describe('Time in which the agent talked with the caller.'),
  ended_reason: z.enum(endReasons).nullable(),
  ended_by: z.enum(callEnders).nullable(),
  worker_generations: z.int().min(0).describe('How many workers have held the call: more than one after a failure.'),
}

export const Call = z.object(shown)
export type Call = z.infer<typeof Call>

export const CreatedCall = z.object({
  ...shown,
  join_url: z.string().optional().describe('Of a web call: a WebSocket.'),
  client_token: z
    .string()
    .optional()
    .describe('Of a web call: sent in the first message on it. Accepted once, within 60 seconds.'),
})
export type CreatedCall = z.infer<typeof CreatedCall>

const milliseconds = z.int().min(0)

export const TurnLatency = z.object({
  eot_ms: milliseconds.describe('From the last sound of the caller until the turn was found to be over.'),
  stt_ms: milliseconds.nullable().describe('From the last sound of the caller until its words were recognized.'),
  llm_ttft_ms: milliseconds.nullable().describe('From the request until the first text of the model.'),
  tts_ttfa_ms: milliseconds.nullable().describe('From the first clause until its first audio.'),
  total_ms: milliseconds
    .nullable()
    .describe('From the last sound of the caller until the first of the agent was played.'),
})
export type TurnLatency = z.infer<typeof TurnLatency>

export const CallTurn = z.object({
  index: z.int().min(0),
  role: z.enum(['caller', 'agent', 'tool']),
  text: z.string().describe('What the agent said is what the caller heard of it.'),
  start_ms: milliseconds,
  end_ms: milliseconds,
  interrupted: z.boolean(),
  said_ms: milliseconds.nullable().describe('How much of the audio of the agent was played.'),
  tool_call: z.object({ id: z.string(), name: z.string(), arguments: z.string() }).nullable(),
})
export type CallTurn = z.infer<typeof CallTurn>

const usd = z.number().min(0)

export const CallCosts = z.object({
  telephony_usd: usd,
  stt_usd: usd,
  llm_usd: usd,
  tts_usd: usd,
  platform_usd: usd,
  total_usd: usd,
  settled: z.boolean().describe('False while charges are under way.'),
})
export type CallCosts = z.infer<typeof CallCosts>

export const CallVerdict = z.object({
  criterion_id: z.string(),
  state: z.enum(['pending', 'done', 'failed']).describe('`failed`: there is no verdict and there will be none.'),
  verdict: Verdict.nullable(),
  failure: z.string().nullable(),
  trust: Trust.nullable().describe('Of the judge when it gave the verdict.'),
})
export type CallVerdict = z.infer<typeof CallVerdict>

export const CallAnalysis = z.object({
  verdicts: z.array(CallVerdict),
  success: z
    .boolean()
    .nullable()
    .describe('Whether all trustworthy judges passed the call. Null while one of them has not, and without any.'),
})
export type CallAnalysis = z.infer<typeof CallAnalysis>

export const CallDetails = z.object({
  ...shown,
  transcript: z.array(CallTurn).nullable().describe('Null when it was not asked for, or was deleted.'),
  answered_by: z
    .enum(['human', 'machine', 'unknown'])
    .nullable()
    .describe('Found by agents with `voicemail.detect` in calls that they make; else null.'),
  consent: z
    .enum(['granted', 'refused'])
    .nullable()
    .describe('What the caller said to being recorded. Null when they were not asked, or have not answered.'),
  recording: CallRecording.nullable().describe('Null when nothing was recorded, or it was deleted.'),
  cost: CallCosts.nullable().describe('Null when it cannot be read at the moment.'),
  cost_usd: usd.nullable(),
  analysis: CallAnalysis.nullable().describe('By the judges of the agent; null without any.'),
  latency: z.object({
    p50_ms: milliseconds.nullable(),
    p95_ms: milliseconds.nullable(),
    turns: z.array(TurnLatency),
  }),
})
export type CallDetails = z.infer<typeof CallDetails>

const ofCall = z.strictObject({ id: z.string().max(100) })

export const createCall = mountedEndpoint({
  method: 'post',
  path: '/v1/calls/create',
  summary: 'Create a call.',
  description:
    'The first minute is held from the wallet; 402 when it is not covered. A web call waits 60 seconds for its caller. A call to a telephone waits for its turn at its number, at most an hour, and is dialed once. `Idempotency-Key` is honoured for 24 hours.',
  permission: 'owner_admin',
  body: CreateCall,
  reply: CreatedCall,
  status: 201,
  errors: [
    'not_found',
    'conflict',
    'insufficient_balance',
    'insufficient_permissions',
    'service_unavailable',
    'idempotency_conflict',
    'quota_exceeded',
  ],
  requestHeaders: ['Idempotency-Key'],
})

export const listCalls = mountedEndpoint({
  method: 'get',
  path: '/v1/calls',
  summary: 'List calls.',
  description: 'The newest first.',
  permission: 'any',
  query: z.strictObject({
    agent_id: z.string().max(100).optional(),
    agent_version: wholeNumber({ min: 1, max: 1_000_000 }).optional(),
    status: z.enum(callStatuses).optional(),
    type: z.enum(callTypes).optional(),
    direction: z.enum(callDirections).optional(),
    number_id: z.string().max(100).optional(),
    env: z.enum(voiceEnvironments).optional(),
    ended_reason: z.enum(endReasons).optional(),
    start: moment.optional().describe('Created at this time or later.'),
    end: moment.optional().describe('Created before this time.'),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: pageOf(Call),
  errors: ['not_found'],
})

export const getCall = mountedEndpoint({
  method: 'get',
  path: '/v1/calls/:id',
  summary: 'Get a call.',
  description: 'With its transcript, cost and latencies.',
  permission: 'any',
  params: ofCall,
  query: z.strictObject({ transcript: z.enum(['full', 'none']).default('full') }),
  reply: CallDetails,
  errors: ['not_found'],
})

export const listCallEvents = mountedEndpoint({
  method: 'get',
  path: '/v1/calls/:id/events',
  summary: 'List or follow the events of a call.',
  description:
    'With `Accept: text/event-stream`, a stream that ends with the call; `Last-Event-ID` goes on behind an event.',
  permission: 'any',
  params: ofCall,
  query: z.strictObject({
    after: wholeNumber({ min: 0, max: 1_000_000_000 }).default(0).describe('Only events with a greater `seq`.'),
    limit: pageLimit,
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(CallEvent), has_more: z.boolean() }),
  errors: ['not_found', 'rate_limit_exceeded'],
  streams: true,
})

export const stopCall = mountedEndpoint({
  method: 'post',
  path: '/v1/calls/:id/stop',
  summary: 'End a call.',
  description: 'One that has ended already is answered as it is.',
  permission: 'owner_admin',
  params: ofCall,
  reply: Call,
  errors: ['not_found'],
})

export const sayInCall = mountedEndpoint({
  method: 'post',
  path: '/v1/calls/:id/say',
  summary: 'Let the agent say something.',
  description: 'After what it is saying, or instead of the rest with `interrupt`. The call must be in progress.',
  permission: 'owner_admin',
  params: ofCall,
  body: z.strictObject({
    text: storable(z.string().min(1).max(2_000)),
    interrupt: z.boolean().default(false),
  }),
  reply: Call,
  status: 202,
  errors: ['not_found', 'conflict'],
})

export const transferCall = mountedEndpoint({
  method: 'post',
  path: '/v1/calls/:id/transfer',
  summary: 'Transfer a call.',
  description:
    'The carrier connects the caller with another number, which the number of the call must be allowed to call, and the agent leaves. When the carrier refuses, the call goes on. The call must be of a telephone, and in progress.',
  permission: 'owner_admin',
  params: ofCall,
  body: z.strictObject({ to: E164 }),
  reply: Call,
  status: 202,
  errors: ['not_found', 'conflict', 'insufficient_permissions'],
})

export const eraseCall = mountedEndpoint({
  method: 'delete',
  path: '/v1/calls/:id',
  summary: 'Erase what was said in a call.',
  description: 'Recording, transcript, events, variables and metadata. What it cost stays. The call must have ended.',
  permission: 'owner_admin',
  params: ofCall,
  reply: z.object({ object: z.literal('call'), id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'conflict'],
})
