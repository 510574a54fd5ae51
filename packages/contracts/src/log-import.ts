import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { storable } from './storable.ts'

const Message = z.looseObject({ role: z.string().min(1) })

const text = (maxLength: number) => storable(z.string().min(1).max(maxLength)).nullish()
const count = z.int().min(0).max(2_147_483_647).nullish()
const duration = z.number().min(0).max(1_000_000_000_000).nullish()
/** Accepted, because a log entry has it, and not read. */
const foundAnew = z.unknown().optional().describe('Not read: the import finds it anew.')

const controlCharacter = /\p{Cc}/u
const tag = storable(z.string().min(1).max(64))
  .refine((value) => !controlCharacter.test(value), 'This may not hold control characters.')
  .nullish()
const traceId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'This must be 1 to 128 visible ASCII characters.')
  .nullish()

/** An exchange to put into the log: a log entry as it is read, or a training example, whose last message is the response. */
export const ImportedLog = z
  .strictObject({
    messages: z.array(Message).max(10_000),
    response: Message.optional().describe(
      "The assistant's message. Without it the last of `messages` is taken for it.",
    ),
    model: text(256).describe('Required beside `response`; `unknown` in a training example without it.'),
    id: text(200).describe('Imported once. Without it, what says the same is imported once.'),
    created_at: z.iso
      .datetime({ offset: true, error: 'This must be an ISO 8601 date-time with its zone.' })
      .transform((value) => new Date(value))
      .nullish()
      .describe('Default: now.'),
    requested_model: text(256),
    served_model: text(256).describe('The same as `model`.'),
    provider: text(64).describe('Default: what stands before the slash in `model`, else `unknown`.'),
    alias: text(64),
    canary: z.boolean().nullish(),
    fallback_from: text(256),
    tag,
    trace_id: traceId,
    span_id: text(64),
    parent_span_id: text(64),
    finish_reason: text(64),
    stream: z.boolean().nullish(),
    cached: z.boolean().nullish(),
    tools: z.array(z.unknown()).nullish(),
    response_format: z.unknown().optional(),
    params: z.record(z.string(), z.unknown()).nullish(),
    parallel_tool_calls: z.boolean().nullish().describe('As a training example has it; one of `params`.'),
    prompt_tokens: count,
    completion_tokens: count,
    reasoning_tokens: count,
    cost_usd: z.number().min(0).max(1_000_000).nullish().describe('What it cost where it was made: nobody is charged.'),
    latency_ms: duration,
    ttft_ms: duration,
    object: foundAnew,
    expires_at: foundAnew,
    step_index: foundAnew,
    segment: foundAnew,
    segment_exact: foundAnew,
    total_tokens: foundAnew,
    redaction: foundAnew,
    source: foundAnew,
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

const ImportLogs = z.strictObject({ logs: z.array(ImportedLog).min(1) })

/** Entries of an import that were not taken, of which the answer tells. */
export const maxImportErrors = 100

export const LogImport = z.object({
  object: z.literal('log.import'),
  total: z.int().describe('imported + duplicates + skipped.too_large + failed.'),
  imported: z.int(),
  duplicates: z.int().describe('In the log already, or more than once in the import.'),
  skipped: z.object({ too_large: z.int().describe('Larger than 512 KB.') }),
  failed: z.int(),
  errors: z
    .array(
      z.object({
        line: z.int().describe('From 1; of `logs` the place in the list.'),
        code: z.string(),
        param: z.string().describe('The field at fault, or the entry: `file.3.messages.0.role`, `logs.2`.'),
        message: z.string(),
      }),
    )
    .describe(`The first ${maxImportErrors} that failed.`),
})
export type LogImport = z.infer<typeof LogImport>

/** Media types of lines of JSON. */
export const jsonLinesTypes = ['application/jsonl', 'application/x-ndjson'] as const

export const importLogs = endpoint({
  method: 'post',
  path: '/v1/logs/import',
  summary: 'Import log entries.',
  description:
    'As JSON (`logs`, at most 16 MB), as JSON lines, or as `multipart/form-data` with a `file` of JSON lines (both at most 512 MB). A line is a log entry as `GET /v1/logs` shows it, or a training example as the export writes it. Entries are redacted, sorted into segments and limited to 512 KB like all others, keep their `created_at`, and are kept for the retention of the workspace from the import on. What is in the log already is left out, so that an import can be sent again. An entry that is none is told of by line and field and the others are imported; where nothing can be imported the answer is 400. Nobody is charged.',
  service: 'logging',
  bodyTypes: ['application/json', ...jsonLinesTypes, 'multipart/form-data'],
  body: ImportLogs,
  reply: LogImport,
  errors: ['logging_disabled', 'unknown_parameter', 'request_too_large', 'unsupported_media_type'],
})
