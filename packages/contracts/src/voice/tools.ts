import { z } from 'zod'
import { mountedEndpoint } from '../endpoint.ts'
import { recordOf } from '../list-of.ts'
import { pageLimit, pageOf, pageOffset } from '../page.ts'
import { storable } from '../storable.ts'

/** Tools that every agent has by its own settings. No tool of a workspace may have these names. */
export const builtInVoiceTools = ['end_call', 'transfer_call', 'send_dtmf', 'wait'] as const

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'This must be the name of a header.')
const headerValue = z.string().regex(/^[\t\x20-\x7e]{1,4096}$/, 'This must be visible ASCII, at most 4,096 characters.')
const secretValue = headerValue.min(8, 'This must have at least 8 characters.')
const maxHeaders = 20
const fewHeaders = <T extends z.ZodType<object>>(schema: T): T =>
  schema.refine(
    (headers) => Object.keys(headers).length <= maxHeaders,
    `This may have at most ${maxHeaders} headers.`,
  ) as T

const http = {
  url: z.string().min(1).max(500).describe('https, and a public address. Redirects are not followed.'),
  method: z.enum(['POST']),
  headers: fewHeaders(recordOf(headerName, headerValue)),
  timeout_ms: z.int().min(100).max(20_000),
}

const VoiceToolHttp = z.strictObject({
  url: http.url,
  method: http.method.default('POST'),
  headers: http.headers.default({}),
  secret_headers: fewHeaders(recordOf(headerName, secretValue))
    .default({})
    .describe('Sealed when stored, and never shown.'),
  timeout_ms: http.timeout_ms.default(5_000),
})

const fields = {
  name: z
    .string()
    .regex(
      /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/,
      'This must be 1 to 64 letters, digits, dashes and underscores, and begin with a letter or underscore.',
    )
    .describe('What the model sees. Unique in the workspace.'),
  description: storable(z.string().min(1).max(1_024)),
  parameters: z
    .record(z.string(), z.unknown())
    .refine(
      (schema) => schema.type === undefined || schema.type === 'object',
      'This must be the JSON Schema of an object.',
    )
    .refine((schema) => JSON.stringify(schema).length <= 16_384, 'This may have at most 16 KB.')
    .describe('JSON Schema (2020-12) of an object, at most 16 KB and 10 schemas inside one another.'),
  side_effects: z
    .boolean()
    .describe(
      'Whether a call changes anything outside. Such a call is never repeated, and never cancelled by an interruption.',
    ),
  speak_after_ms: z.int().min(0).max(10_000).describe('How long the tool may take before the agent says `filler`.'),
  filler: storable(z.string().min(1).max(300)).nullable().describe('Said once while the tool runs; null: silence.'),
  result_max_bytes: z.int().min(256).max(65_536).describe('A longer result is cut, and says so.'),
}

export const CreateVoiceTool = z.strictObject({
  name: fields.name,
  description: fields.description,
  parameters: fields.parameters,
  http: VoiceToolHttp,
  side_effects: fields.side_effects.default(true),
  speak_after_ms: fields.speak_after_ms.default(700),
  filler: fields.filler.default(null),
  result_max_bytes: fields.result_max_bytes.default(16_384),
})
export type CreateVoiceTool = z.output<typeof CreateVoiceTool>

export const UpdateVoiceTool = z
  .strictObject({
    name: fields.name,
    description: fields.description,
    parameters: fields.parameters,
    http: z
      .strictObject({
        ...http,
        secret_headers: fewHeaders(recordOf(headerName, secretValue.nullable())).describe('Null removes one.'),
      })
      .partial(),
    side_effects: fields.side_effects,
    speak_after_ms: fields.speak_after_ms,
    filler: fields.filler,
    result_max_bytes: fields.result_max_bytes,
  })
  .partial()
export type UpdateVoiceTool = z.output<typeof UpdateVoiceTool>

export const VoiceTool = z.object({
  object: z.literal('tool'),
  id: z.string(),
  ...fields,
  http: z.object({
    ...http,
    secret_header_names: z.array(z.string()).describe('Headers whose values are sealed and never shown.'),
  }),
  version: z.int().min(1).describe('Raised by each change; `If-Match` compares it.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type VoiceTool = z.infer<typeof VoiceTool>

const ofTool = z.strictObject({ id: z.string().max(100) })

export const createVoiceTool = mountedEndpoint({
  method: 'post',
  path: '/v1/tools',
  summary: 'Create a tool.',
  description:
    'The answer has `signing_secret`, which is not shown again: calls are signed with it as Standard Webhooks describes. A name that another tool has is refused with 409. `Idempotency-Key` is honoured for 24 hours.',
  permission: 'owner_admin',
  body: CreateVoiceTool,
  reply: VoiceTool.extend({ signing_secret: z.string() }),
  status: 201,
  errors: ['conflict', 'idempotency_conflict'],
  requestHeaders: ['Idempotency-Key'],
})

export const listVoiceTools = mountedEndpoint({
  method: 'get',
  path: '/v1/tools',
  summary: 'List tools.',
  description: 'The newest first.',
  permission: 'any',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(VoiceTool),
})

export const getVoiceTool = mountedEndpoint({
  method: 'get',
  path: '/v1/tools/:id',
  summary: 'Get a tool.',
  description: 'Without its secrets.',
  permission: 'any',
  params: ofTool,
  reply: VoiceTool,
  errors: ['not_found'],
})

export const updateVoiceTool = mountedEndpoint({
  method: 'patch',
  path: '/v1/tools/:id',
  summary: 'Change a tool.',
  description:
    'Secrets of a tool whose URL changes to another host must be stated again. With `If-Match: <version>`, only when that is the present one.',
  permission: 'owner_admin',
  params: ofTool,
  body: UpdateVoiceTool,
  reply: VoiceTool,
  errors: ['not_found', 'conflict', 'version_conflict'],
  requestHeaders: ['If-Match'],
})

export const deleteVoiceTool = mountedEndpoint({
  method: 'delete',
  path: '/v1/tools/:id',
  summary: 'Delete a tool.',
  description: 'Refused while the newest or published version of an agent has it.',
  permission: 'owner_admin',
  params: ofTool,
  reply: z.object({ object: z.literal('tool'), id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'tool_in_use'],
})

export const VoiceToolTest = z.object({
  object: z.literal('tool.test'),
  ok: z.boolean(),
  result: z.string().describe('What a model would read, also when the call failed.'),
  status: z.int().nullable().describe('Of the answer; null: there was none.'),
  duration_ms: z.int().min(0),
})

export const testVoiceTool = mountedEndpoint({
  method: 'post',
  path: '/v1/tools/:id/test',
  summary: 'Call a tool.',
  description: 'Makes a real call, with `call_id: null`. It costs nothing here.',
  permission: 'owner_admin',
  params: ofTool,
  body: z.strictObject({ arguments: z.record(z.string(), z.unknown()).default({}) }),
  reply: VoiceToolTest,
  errors: ['not_found'],
})
