import type { Body } from '../../wire/dialect.ts'
import { checkFields, type FieldRule, fieldFault, isPositiveInteger, isText, optional } from '../check-fields.ts'
import type { RequestFacts } from '../surface.ts'

/** Maximum number of texts, or of lists of tokens, of one request. */
const inputsMax = 2_048

/**
 * Checks the fields of an embeddings request that the gateway reads. The other fields are checked by the provider.
 *
 * @throws ServiceError `invalid_request` naming the field by its path, as in `input.3.0`
 */
export function checkEmbeddingsRequest(body: Body): RequestFacts {
  const { requestedModel, fallbackModels } = checkFields(body, rules)
  const items = countInputs(body.input)
  return {
    requestedModel,
    fallbackModels,
    stream: false,
    includeUsage: false,
    n: 1,
    maxTokens: 0,
    searches: 0,
    // A token id takes at least two bytes of the body, a digit and a comma, so the length of the body bounds the
    // tokens.
    prompt: { items, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false },
  }
}

const rules: readonly FieldRule[] = [
  {
    param: 'input',
    accepts: (value) => isText(value) || (Array.isArray(value) && value.length > 0),
    demand: 'must be a non-empty string or a non-empty array',
  },
  {
    param: 'encoding_format',
    accepts: optional((value) => value === 'float' || value === 'base64'),
    demand: 'must be "float" or "base64"',
  },
  { param: 'dimensions', accepts: optional(isPositiveInteger), demand: 'must be a positive integer' },
  { param: 'user', accepts: optional((value) => typeof value === 'string'), demand: 'must be a string' },
]

/** Number of requested embeddings. The first item of a list decides the type of the others. */
function countInputs(input: unknown): number {
  if (!Array.isArray(input)) return 1
  const [first] = input
  if (typeof first === 'number') {
    checkTokens(input, 'input')
    return 1
  }
  if (input.length > inputsMax) throw fault('input', `must have at most ${inputsMax} items`)
  if (typeof first === 'string') checkTexts(input)
  else for (const [index, item] of input.entries()) checkTokens(item, `input.${index}`)
  return input.length
}

function checkTexts(input: readonly unknown[]): void {
  const index = input.findIndex((item) => !isText(item))
  if (index !== -1) throw fault(`input.${index}`, 'must be a non-empty string, as the items before it')
}

function checkTokens(list: unknown, path: string): void {
  if (!Array.isArray(list)) throw fault(path, 'must be a non-empty string or an array of token ids')
  if (list.length === 0) throw fault(path, 'must not be empty')
  const index = list.findIndex((token) => !Number.isSafeInteger(token) || token < 0)
  if (index !== -1) throw fault(`${path}.${index}`, 'must be a token id, an integer of at least 0')
}

function fault(param: string, demand: string) {
  return fieldFault({ param, demand }, null)
}
