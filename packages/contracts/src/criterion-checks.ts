import { z } from 'zod'
import {
  containsFields,
  jsonSchemaFields,
  lengthFields,
  noToolCallFields,
  regexFields,
  toolCalledFields,
} from './answer-checks.ts'
import { listOf } from './list-of.ts'
import { storable } from './storable.ts'

/** How many checks a judge has at most, and characters of a script. */
export const maxChecks = 20
export const maxScriptLength = 16_384
/** How long a script may run for one answer, milliseconds, and how much memory it may use, megabytes. */
export const scriptLimits = { ms: 2_000, memoryMb: 32 } as const

const negation = {
  negate: z
    .boolean()
    .default(false)
    .describe(
      'Whether the answer passes when this does not hold. One that is too long to be compared then has no verdict.',
    ),
}

export const JsonCheck = z.strictObject({
  type: z.literal('json').describe('The answer is JSON, of at most 100,000 characters and 10,000 values.'),
  ...negation,
})
export const JsonSchemaCheck = z.strictObject({ ...jsonSchemaFields, ...negation })
export const RegexCheck = z.strictObject({ ...regexFields, ...negation })
export const ContainsCheck = z.strictObject({ ...containsFields, ...negation })
export const LengthCheck = z.strictObject({ ...lengthFields, ...negation })
export const CharactersCheck = z.strictObject({
  ...lengthFields,
  type: z.literal('characters').describe('Characters of the answer, as Unicode counts them.'),
  max: z.int().min(0).max(1_000_000).default(1_000_000),
  ...negation,
})
export const ToolCalledCheck = z.strictObject({ ...toolCalledFields, ...negation })
export const NoToolCallCheck = z.strictObject({ ...noToolCallFields, ...negation })
export const ScriptCheck = z.strictObject({
  type: z
    .literal('script')
    .describe(
      'JavaScript that defines `function check({ text, response, messages, tools })`. It returns true or false, or `{ pass, reason }`. It has no network, files, clock or random numbers, 2 seconds of processor time and 32 MB for each answer. If it fails, there is no verdict.',
    ),
  source: storable(z.string().min(1).max(maxScriptLength)),
  ...negation,
})

/** A check of an answer that needs no model. */
export const CriterionCheck = z.discriminatedUnion('type', [
  JsonCheck,
  JsonSchemaCheck,
  RegexCheck,
  ContainsCheck,
  LengthCheck,
  CharactersCheck,
  ToolCalledCheck,
  NoToolCallCheck,
  ScriptCheck,
])
export type CriterionCheck = z.output<typeof CriterionCheck>

export const CriterionChecks = listOf(CriterionCheck).min(1).max(maxChecks)

export const CriterionKind = z
  .enum(['model', 'code'])
  .describe(
    '`model`: a model judges by the prompt. `code`: the checks judge, free of charge; an answer passes all of them.',
  )
export type CriterionKind = z.infer<typeof CriterionKind>

/** What `judge_model` says of a judge of kind `code`. No model has this name. */
export const checksModel = 'ratchet/checks'
