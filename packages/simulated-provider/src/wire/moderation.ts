import { countTokens } from '../answers/tokenize.ts'
import { checkPrompt } from './model-limits.ts'
import { type Fields, isFields, itemsOf, missing, textOf, wrongType } from './read-fields.ts'
import type { Call, Reply } from './reply.ts'
import { reportedUsage, usageOf } from './usage.ts'

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

/** POST /v1/moderations: flags a text that contains the word "violence". Reports tokens, as Mistral does. */
export function answerModerations(call: Call): Reply {
  const texts = textsOf(call.body)
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  checkPrompt(tokens, call.model, 'input')
  const usage = usageOf(tokens, 0, null)
  const reported = reportedUsage(usage, call.behaviour)
  const counts = reported === null ? {} : { usage: { prompt_tokens: reported.prompt, total_tokens: reported.prompt } }
  const results = texts.map((text) => {
    const flagged = text.toLowerCase().includes('violence')
    const each = (hit: unknown, other: unknown) =>
      Object.fromEntries(categories.map((name) => [name, flagged && name === 'violence' ? hit : other]))
    return { flagged, categories: each(true, false), category_scores: each(0.99, 0.01) }
  })
  const body = JSON.stringify({ id: `modr-${call.name.slice(0, 24)}`, model: call.model.id, results, ...counts })
  return { kind: 'json', status: 200, body, tokens: 0, usage }
}

/** Each text gets a result; parts of a list of parts together get one. */
function textsOf(body: Fields): readonly string[] {
  const { input } = body
  if (input === undefined) throw missing('input')
  if (!Array.isArray(input)) return [textOf(body, 'input')]
  const items = itemsOf(body, 'input')
  if (items.every((item) => typeof item === 'string')) return items
  return [items.map((item) => (isFields(item) && typeof item.text === 'string' ? item.text : '')).join(' ')]
}
