import { z } from 'zod'
import { listOf, recordOf } from './list-of.ts'
import { storable } from './storable.ts'

const word = storable(z.string().min(1).max(200))
const text = storable(z.string().min(1).max(2_000))

/**
 * Fields of checks of an answer that need no judge. All but those of tools read the text of the last message. Criteria and rewards
 * are made of them.
 */

export const containsFields = {
  type: z.literal('contains').describe('The answer contains all values, in any case of letters.'),
  values: listOf(text).min(1).max(20),
}

export const regexFields = {
  type: z
    .literal('regex')
    .describe(
      'The whole answer matches the pattern, which is checked in linear time. One of more than 100,000 characters, or 2,500,000 over those of the pattern with its repeats written out, does not.',
    ),
  pattern: text.describe(
    'Literals, `.`, classes, groups, `|` and the quantifiers `?` `*` `+` `{m,n}`. To find it anywhere, write `.*` before and after. `^` and `$` change nothing, and one of them alone is refused.',
  ),
}

export const jsonSchemaFields = {
  type: z
    .literal('json_schema')
    .describe('The answer is JSON of this schema, of at most 100,000 characters and 10,000 values.'),
  schema: recordOf(storable(z.string().max(200)), z.unknown()),
}

/** Arguments that a call of a tool must have. */
export const toolArguments = z
  .record(z.string(), z.unknown())
  .describe('Arguments that a call of the tool must have; other arguments are ignored.')

export const toolCalledFields = { type: z.literal('tool_called'), name: word, args: toolArguments.optional() }

export const noToolCallFields = { type: z.literal('no_tool_call') }

export const lengthFields = {
  type: z.literal('length').describe('Words of the answer.'),
  min: z.int().min(0).max(100_000).default(0),
  max: z.int().min(0).max(100_000).default(100_000),
}
