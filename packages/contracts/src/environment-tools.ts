import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import {
  CreateEnvironmentTool,
  maxRecordings,
  TestToolArguments,
  ToolFromTraces,
  toolMatches,
  toolMisses,
  toolUses,
  UpdateEnvironmentTool,
} from './environment-tools-body.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'

const count = z.int().min(0)
const rate = z.number().min(0).max(1)
const json = z.record(z.string(), z.unknown())

export const environmentToolKinds = ['http', 'static', 'recorded'] as const
export const EnvironmentToolKind = z.enum(environmentToolKinds)
export type EnvironmentToolKind = z.infer<typeof EnvironmentToolKind>

export const HttpTool = z.object({
  url: z.string(),
  method: z.enum(['POST']),
  headers: z.record(z.string(), z.string()),
  secret_header_names: z.array(z.string()).describe('Headers whose values are sealed and never shown.'),
  timeout_ms: z.int(),
  max_response_bytes: z.int(),
  max_concurrency: z.int(),
  retries: z.int(),
})

export const StaticTool = z.object({
  result: z.unknown().describe('What every call returns. Absent when there are cases.').optional(),
  cases: z
    .array(z.object({ when: json, result: z.unknown() }))
    .describe('The first case whose schema fits the arguments.'),
  default: z.unknown().describe('For arguments that fit no case; absent: a miss.').optional(),
})

export const RecordedTool = z.object({
  tool_name: z.string().describe('Name of the tool in the traces.'),
  match: z.enum(toolMatches),
  key_arguments: z.array(z.string()).describe('The arguments that are compared; empty: all but the ignored ones.'),
  ignore_arguments: z.array(z.string()),
  on_miss: z.enum(toolMisses),
  recordings: count.describe('Distinct calls that have an answer.'),
  coverage_on_holdout: rate.nullable().describe('When it was recorded; see `POST /v1/environment_tools/from_traces`.'),
})

export const ToolStats = z
  .object({
    calls: count,
    errors: count.describe('Calls that failed: no answer, a refusal, a miss, or wrong arguments.'),
    timeouts: count,
    p50_ms: z.number().nullable(),
    p95_ms: z.number().nullable(),
    hit_rate: rate.nullable().describe('Share of calls that had a recording. Null for other kinds, and without calls.'),
  })
  .describe('Of the last 1,000 calls in runs. Tests are not counted.')
export type ToolStats = z.infer<typeof ToolStats>

export const EnvironmentTool = z.object({
  id: z.string(),
  object: z.literal('environment_tool'),
  name: z.string(),
  description: z.string(),
  parameters: json.describe('JSON Schema (2020-12) of the arguments.'),
  kind: EnvironmentToolKind,
  http: HttpTool.nullable().describe('Of the kind `http`, and of a recorded tool that calls an address on a miss.'),
  static: StaticTool.nullable().describe('Of the kind `static`, and of a recorded tool that answers so on a miss.'),
  recorded: RecordedTool.nullable(),
  usable_as: z.array(z.enum(toolUses)),
  side_effects: z.boolean(),
  max_calls_per_rollout: z.int(),
  stats: ToolStats,
  version: z.int().describe('From 1; a change makes the next one. A run keeps the version that it started with.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type EnvironmentTool = z.infer<typeof EnvironmentTool>

export const CreatedEnvironmentTool = EnvironmentTool.extend({
  signing_secret: z
    .string()
    .nullable()
    .describe('Checks `webhook-signature` of calls (Standard Webhooks). Shown only here; null when nothing is called.'),
})

export const toolErrorCodes = [
  'invalid_arguments',
  'too_many_calls',
  'no_recording',
  'no_case',
  'timeout',
  'unavailable',
  'refused',
  'invalid_answer',
  'suspended',
] as const
export const ToolError = z.object({
  code: z
    .enum(toolErrorCodes)
    .describe(
      '`timeout`, `unavailable` (no connection, 429 or 5xx) and `refused` (any other status): of an address. `suspended`: not called, because most of the last calls failed.',
    ),
  message: z.string(),
})
export type ToolError = z.infer<typeof ToolError>

/** What a call of a tool came to. */
export const ToolAnswer = z.object({
  ok: z.boolean(),
  result: z.string().describe('What the model sees: a text, or JSON as text; for an error its message.'),
  truncated: z.boolean().describe('Whether the answer was longer than `max_response_bytes` and was cut.'),
  done: z.boolean().describe('Whether the tool says that the episode is over.'),
  reward: rate.nullable().describe('What the tool says the episode is worth. Null: nothing.'),
  recorded_hit: z.boolean().nullable().describe('Whether there was a recording. Null for other kinds.'),
  error: ToolError.nullable(),
})
export type ToolAnswer = z.infer<typeof ToolAnswer>

export const ToolTest = ToolAnswer.extend({
  status: z.int().nullable().describe('HTTP status of the answer. Null when nothing was called, or did not answer.'),
  duration_ms: z.number(),
})
export type ToolTest = z.infer<typeof ToolTest>

export const SeenArgument = z.object({
  name: z.string(),
  calls: count.describe('Calls that have it.'),
  distinct: count.describe('Distinct values. One per call is a mark of an id that belongs to `ignoreArguments`.'),
})

export const RecordedFromTraces = z.object({
  object: z.literal('environment_tool.from_traces'),
  tool: CreatedEnvironmentTool.nullable().describe('Null with `dryRun`.'),
  exchanges_read: count.describe(
    'The newest exchanges that match: at most 5,000, with at most 20,000 calls and about 16 MB of arguments and answers.',
  ),
  calls: count.describe('Calls of the tool that have an answer in the traces.'),
  distinct: count.describe('Distinct calls, compared as `match` says.'),
  recordings: count.describe(
    `Distinct calls that are kept: the most frequent ones, at most \`maxRecordings\` (${maxRecordings}).`,
  ),
  arguments_seen: z.array(SeenArgument).describe('At most 50, the most frequent first.'),
  holdout_calls: count.describe('Calls of the fifth of the traces that coverage is measured on.'),
  coverage_on_holdout: rate
    .nullable()
    .describe('Share of those calls for which the other traces have a recording. Null without such calls.'),
  coverage_ci: z.tuple([rate, rate]).nullable().describe('95 % interval, with traces as clusters.'),
  conflicting: count.describe(
    'Distinct calls with more than one answer in the traces. The most frequent answer is kept.',
  ),
})
export type RecordedFromTraces = z.infer<typeof RecordedFromTraces>

const ofTraining = { service: 'training', permission: 'owner_admin' } as const
const params = z.object({ id: z.string() })
const ofTool = { ...ofTraining, params } as const
const bodyErrors = ['unknown_parameter', 'request_too_large', 'unsupported_media_type'] as const

export const createEnvironmentTool = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/v1/environment_tools',
  summary: 'Create an environment tool.',
  description:
    'A tool that a model may call in training runs. Keys are in camelCase or in snake_case. Two wrong bodies are answered with 400 and `{"error": "<message>"}`: a key in both spellings with different values, and a `kind` without the block of its name or with another one. Recorded tools are created from traces.',
  guard: true,
  status: 201,
  body: CreateEnvironmentTool,
  reply: CreatedEnvironmentTool,
  refusesFlatly: true,
  requestHeaders: ['Idempotency-Key'],
  errors: [...bodyErrors, 'conflict', 'idempotency_conflict', 'not_found', 'quota_exceeded'],
})

export const listEnvironmentTools = endpoint({
  ...ofTraining,
  method: 'get',
  path: '/v1/environment_tools',
  summary: 'List environment tools.',
  description: 'Newest first.',
  query: z.strictObject({ kind: EnvironmentToolKind.optional(), limit: pageLimit, offset: pageOffset }),
  reply: pageOf(EnvironmentTool),
  errors: ['unknown_parameter'],
})

export const getEnvironmentTool = endpoint({
  ...ofTool,
  method: 'get',
  path: '/v1/environment_tools/:id',
  summary: 'Read an environment tool.',
  description: 'With statistics of its calls in runs. Values of secret headers are never shown.',
  reply: EnvironmentTool,
  errors: ['unknown_parameter', 'not_found'],
})

export const updateEnvironmentTool = endpoint({
  ...ofTool,
  method: 'patch',
  path: '/v1/environment_tools/:id',
  summary: 'Change an environment tool.',
  description:
    'Makes the next version. Runs that have started keep theirs. Fields of `http` and `recorded` that are absent stay as they are; `static` is replaced. A secret header with the value null is removed. With another URL, secret headers must be set again or removed.',
  guard: true,
  body: UpdateEnvironmentTool,
  reply: EnvironmentTool,
  refusesFlatly: true,
  errors: [...bodyErrors, 'not_found', 'conflict', 'immutable_parameter', 'quota_exceeded'],
})

export const deleteEnvironmentTool = endpoint({
  ...ofTool,
  method: 'delete',
  path: '/v1/environment_tools/:id',
  summary: 'Delete an environment tool.',
  description: 'With its recordings. `tool_in_use` while a run that has not ended uses it.',
  reply: z.object({ id: z.string(), object: z.literal('environment_tool'), deleted: z.literal(true) }),
  errors: ['unknown_parameter', 'not_found', 'tool_in_use'],
})

export const testEnvironmentTool = endpoint({
  ...ofTool,
  method: 'post',
  path: '/v1/environment_tools/:id/test',
  summary: 'Call an environment tool once.',
  description:
    'As a run would, but outside of one: `run_id` and `rollout_id` of the request are null. An address may take 30 seconds for each try.',
  guard: true,
  body: TestToolArguments,
  reply: ToolTest,
  errors: [...bodyErrors, 'not_found'],
})

export const recordEnvironmentTool = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/v1/environment_tools/from_traces',
  summary: 'Create an environment tool from calls in the log.',
  description:
    'Reads the newest exchanges that match, and keeps which answer each call of the tool had. Coverage is measured before anything is trained: a fifth of the traces is left out, and its calls are looked up in the others. `dryRun` stores nothing, and does not use its `Idempotency-Key`. `description` and `parameters` are those of the newest exchange that offers the tool, unless given.',
  guard: true,
  body: ToolFromTraces,
  reply: RecordedFromTraces,
  refusesFlatly: true,
  requestHeaders: ['Idempotency-Key'],
  errors: [...bodyErrors, 'conflict', 'idempotency_conflict', 'not_found', 'quota_exceeded', 'logging_disabled'],
})
