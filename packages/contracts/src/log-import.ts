import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { endpoint } from './endpoint.ts'
import { maxUploadBytes, uploadedFile } from './files.ts'
import { listOf, recordOf } from './list-of.ts'
import { storable } from './storable.ts'

export const ImportedMessage = z.looseObject({ role: z.string().min(1) })

const text = (maxLength: number) => storable(z.string().min(1).max(maxLength)).nullish()
const count = z.int().min(0).max(2_147_483_647).nullish()
const duration = z.number().min(0).max(1_000_000_000_000).nullish()
/** Accepted because a log entry has it, but ignored. */
const ignored = z.unknown().optional().describe('Ignored; the import computes it.')

const controlCharacter = /\p{Cc}/u
const tag = storable(z.string().min(1).max(64))
  .refine((value) => !controlCharacter.test(value), 'This must not contain control characters.')
  .nullish()
const traceId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'This must be 1 to 128 visible ASCII characters.')
  .nullish()

/** An exchange to be imported: a log entry as it is read, or a training example, whose last message is the response. */
export const ImportedLog = z
  .strictObject({
    messages: listOf(ImportedMessage).max(10_000),
    response: ImportedMessage.optional().describe("The assistant's message. By default the last of `messages`."),
    model: text(256).describe('Required together with `response`; `unknown` for a training example without it.'),
    id: text(200).describe('An id is imported once. Without an id, equal content is imported once.'),
    created_at: z.iso
      .datetime({ offset: true, error: 'This must be an ISO 8601 date-time with its zone.' })
      .transform((value) => new Date(value))
      .nullish()
      .describe('The time of the import by default.'),
    requested_model: text(256),
    served_model: text(256).describe('Same as `model`.'),
    provider: text(64).describe('By default the part before the slash in `model`, else `unknown`.'),
    alias: text(64),
    canary: z.boolean().nullish(),
    fallback_from: text(256),
    tag,
    trace_id: traceId,
    span_id: text(64),
    parent_span_id: text(64),
    conversation_id: text(200),
    user: text(512).describe('The end user.'),
    metadata: recordOf(z.string(), storable(z.string().max(512)))
      .nullish()
      .describe('What the client noted.'),
    finish_reason: text(64),
    stream: z.boolean().nullish(),
    cached: z.boolean().nullish(),
    tools: z.array(z.unknown()).nullish(),
    response_format: z.unknown().optional(),
    params: z.record(z.string(), z.unknown()).nullish(),
    parallel_tool_calls: z.boolean().nullish().describe('As in a training example; becomes one of `params`.'),
    prompt_tokens: count,
    completion_tokens: count,
    reasoning_tokens: count,
    cost_usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .nullish()
      .describe('The cost at its origin. The import itself charges nothing.'),
    latency_ms: duration,
    ttft_ms: duration,
    object: ignored,
    expires_at: ignored,
    step_index: ignored,
    segment: ignored,
    segment_exact: ignored,
    total_tokens: ignored,
    redaction: ignored,
    source: ignored,
  })
  .superRefine(({ messages, response, model, served_model: servedModel }, context) => {
    const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message })
    if (response === undefined && messages.at(-1)?.role !== 'assistant') {
      refuse(['response'], "This is required, unless the last of `messages` is the assistant's.")
    }
    if (response !== undefined && (model ?? null) === null) refuse(['model'], 'This is required.')
    if ((servedModel ?? model) !== (model ?? servedModel)) refuse(['served_model'], 'This must be the same as `model`.')
  })
export type ImportedLog = z.output<typeof ImportedLog>

export const ImportLogs = z.strictObject({ logs: listOf(ImportedLog).min(1) })

/** Maximum number of failed entries of an import that the answer lists. */
export const maxImportErrors = 100

export const LogImport = z.object({
  object: z.literal('log.import'),
  total: z.int().describe('The sum of imported, duplicates, skipped.too_large and failed.'),
  imported: z.int(),
  duplicates: z.int().describe('Number of entries that are in the log already, or several times in the import.'),
  skipped: z.object({ too_large: z.int().describe('Number of entries that are larger than 512 KB.') }),
  failed: z.int(),
  errors: z
    .array(
      z.object({
        line: z.int().describe('The line, from 1; for `logs` the index in the list.'),
        code: z.string(),
        param: z.string().describe('The wrong field, or the entry: `file.3.messages.0.role`, `logs.2`.'),
        message: z.string(),
      }),
    )
    .describe(`The first ${maxImportErrors} failed entries.`),
})
export type LogImport = z.infer<typeof LogImport>

/** Media types of JSON lines. */
export const jsonLinesTypes = ['application/jsonl', 'application/x-ndjson'] as const

export const importLogs = endpoint({
  method: 'post',
  path: '/v1/logs/import',
  summary: 'Import log entries.',
  description:
    'As JSON (`logs`, at most 16 MB, and 64 KB besides its entries), as JSON lines, or as `multipart/form-data` with a `file` of JSON lines (both at most 512 MB). A line is a log entry as `GET /v1/logs` returns it, or a training example as the export writes it. Entries are redacted, assigned to segments and limited to 512 KB like all others. They keep their `created_at`, and the retention of the workspace begins with the import. Entries that are in the log already are skipped, so an import can be sent again. An invalid entry is reported by line and field, and the others are imported; if nothing can be imported the answer is 400. Nothing is charged, but imported entries count towards the storage quota until they expire.',
  service: 'logging',
  permission: 'owner_admin',
  guard: true,
  maxBodyBytes: maxUploadBytes,
  maxJsonBytes: 16 * mebibyte,
  bodyTypes: ['application/json', ...jsonLinesTypes, 'multipart/form-data'],
  form: z.strictObject({ file: uploadedFile }),
  body: ImportLogs,
  reply: LogImport,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'logging_disabled',
    'conflict',
    'idempotency_conflict',
    'unknown_parameter',
    'quota_exceeded',
    'request_too_large',
    'unsupported_media_type',
  ],
})
