import { type Fields, isFields, textOf, wrongType } from './read-fields.ts'

const categories = ['harassment', 'hate', 'illicit', 'self-harm', 'sexual', 'violence']

/**
 * The `moderation` of a reply to a request that asks for one, which flags nothing; nothing without it.
 *
 * @throws WireError 400 for a `moderation` without a model
 */
export function moderationOf({ moderation }: Fields): object {
  if (moderation === undefined || moderation === null) return {}
  if (!isFields(moderation)) throw wrongType('moderation', 'an object', moderation)
  const model = textOf(moderation, 'model', 'moderation.model')
  const each = (value: unknown) => Object.fromEntries(categories.map((name) => [name, value]))
  const result = {
    type: 'moderation_result',
    model,
    flagged: false,
    categories: each(false),
    category_scores: each(0),
    category_applied_input_types: each(['text']),
  }
  const results = { type: 'moderation_results', model, results: [result] }
  return { moderation: { input: results, output: results } }
}
