import { z } from 'zod'
import { recordOf } from './list-of.ts'
import { storable } from './storable.ts'

/** How a call finds its recording. */
export const toolMatches = ['exact', 'normalized', 'nearest'] as const
/** What a call without a recording gets. */
export const toolMisses = ['error', 'static', 'http'] as const
export type ToolMiss = (typeof toolMisses)[number]
export const toolUses = ['tool', 'reward'] as const
/** Most recordings of a tool. */
export const maxRecordings = 10_000

const Json = z.record(z.string(), z.unknown())

export const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'This must be 1 to 64 letters, digits, dashes and underscores.')

const description = storable(z.string().max(1_024))
const parameters = Json.describe(
  'JSON Schema (2020-12) of an object, at most 32 KB, 10 levels and 500 parts: schemas, fours of values of `enum`, and characters of patterns. References only to `#/$defs/…`, none of them recursive.',
)

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'This must be the name of a header.')
const headerValue = z.string().regex(/^[\t\x20-\x7e]{1,4096}$/, 'This must be visible ASCII, at most 4,096 characters.')

/** Most open headers of a tool, and most secret ones. */
export const maxToolHeaders = 20
const fewHeaders = <T extends z.ZodType<object>>(schema: T): T =>
  schema.refine((headers) => Object.keys(headers).length <= maxToolHeaders, `At most ${maxToolHeaders} headers.`) as T

const secretValue = headerValue.min(8, 'A secret has at least 8 characters.')

const httpFields = {
  url: z.string().min(1).max(500).describe('https, and a public address. Redirects are not followed.'),
  method: z.enum(['POST']),
  headers: fewHeaders(recordOf(headerName, headerValue)),
  timeoutMs: z.int().min(100).max(30_000).describe('For each try, with the connection.'),
  maxResponseBytes: z.int().min(256).max(65_536).describe('A longer answer is cut and marked.'),
  maxConcurrency: z.int().min(1).max(64).describe('Calls at one time, from each process of the service.'),
  retries: z.int().min(0).max(3).describe('After no answer, 429 and 5xx; with the same `call_id`.'),
}

const HttpToolBody = z.strictObject({
  ...httpFields,
  method: httpFields.method.default('POST'),
  headers: httpFields.headers.default({}),
  secretHeaders: fewHeaders(recordOf(headerName, secretValue))
    .default({})
    .describe('Sealed when stored, and never shown. Their values are blotted out in answers of the tool.'),
  timeoutMs: httpFields.timeoutMs.default(10_000),
  maxResponseBytes: httpFields.maxResponseBytes.default(16_384),
  maxConcurrency: httpFields.maxConcurrency.default(8),
  retries: httpFields.retries.default(1),
})

const StaticToolBody = z.strictObject({
  result: z.unknown().describe('What every call returns. Not together with `cases`.').optional(),
  cases: z
    .array(
      z.strictObject({
        when: Json.describe('JSON Schema, with the bounds of `parameters`; all cases have 1,000 parts at most.'),
        result: z.unknown(),
      }),
    )
    .max(100)
    .default([]),
  default: z.unknown().describe('For arguments that fit no case.').optional(),
})

const common = {
  usableAs: z
    .array(z.enum(toolUses))
    .min(1)
    .max(2)
    .describe('`reward`: an address that grades, and answers `{reward, detail}`.'),
  sideEffects: z.boolean().describe('Whether a call changes anything outside. Such a tool is refused in runs.'),
  maxCallsPerRollout: z.int().min(1).max(50),
}
const defaults = {
  usableAs: common.usableAs.default(['tool']),
  sideEffects: common.sideEffects.default(false),
  maxCallsPerRollout: common.maxCallsPerRollout.default(10),
}

export const CreateEnvironmentTool = z.strictObject({
  name: ToolName.describe('What the model sees. Unique in the workspace.'),
  description,
  parameters,
  kind: z.enum(['http', 'static']).describe('Recorded tools: `POST /v1/environment_tools/from_traces`.'),
  http: HttpToolBody.optional(),
  static: StaticToolBody.optional(),
  ...defaults,
})
export type CreateEnvironmentTool = z.output<typeof CreateEnvironmentTool>

const { url, method, headers, timeoutMs, maxResponseBytes, maxConcurrency, retries } = httpFields

export const UpdateEnvironmentTool = z.strictObject({
  name: ToolName.optional(),
  description: description.optional(),
  parameters: parameters.optional(),
  kind: z.unknown().optional().describe('Cannot be changed.'),
  http: z
    .strictObject({
      url: url.optional(),
      method: method.optional(),
      headers: headers.optional(),
      secretHeaders: fewHeaders(recordOf(headerName, secretValue.nullable())).optional(),
      timeoutMs: timeoutMs.optional(),
      maxResponseBytes: maxResponseBytes.optional(),
      maxConcurrency: maxConcurrency.optional(),
      retries: retries.optional(),
    })
    .optional(),
  static: StaticToolBody.optional(),
  recorded: z.strictObject({ onMiss: z.enum(toolMisses) }).optional(),
  usableAs: common.usableAs.optional(),
  sideEffects: common.sideEffects.optional(),
  maxCallsPerRollout: common.maxCallsPerRollout.optional(),
})
export type UpdateEnvironmentTool = z.output<typeof UpdateEnvironmentTool>

const word = storable(z.string().min(1).max(200))
const argumentNames = z.array(word).max(50).default([])

export const ToolFromTraces = z.strictObject({
  toolName: word.describe('Name of the tool in the traces.'),
  name: ToolName.nullish().describe('Name of the new tool; by default that in the traces.'),
  description: description.nullish(),
  parameters: parameters.nullish(),
  filters: z
    .strictObject({
      tag: word.optional(),
      segment: word.optional(),
      start: z.iso.datetime({ offset: true }).optional(),
      end: z.iso.datetime({ offset: true }).optional(),
    })
    .default({}),
  match: z
    .enum(toolMatches)
    .default('exact')
    .describe(
      '`exact`: equal arguments, in any order of keys. `normalized`: also without regard to case, spaces and nulls. `nearest`: the most similar call otherwise, if it shares four fifths of its words.',
    ),
  keyArguments: argumentNames.describe('Compare only these.'),
  ignoreArguments: argumentNames.describe('Compare all but these. Not together with `keyArguments`.'),
  onMiss: z.enum(toolMisses).default('error'),
  http: HttpToolBody.optional().describe('Required with `onMiss: "http"`.'),
  static: StaticToolBody.optional().describe('Required with `onMiss: "static"`.'),
  maxRecordings: z.int().min(1).max(maxRecordings).default(maxRecordings),
  dryRun: z.boolean().default(false),
  ...defaults,
})
export type ToolFromTraces = z.output<typeof ToolFromTraces>

export const TestToolArguments = z.strictObject({ arguments: Json.default({}) })
