import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Body } from '../../wire/dialect.ts'
import { asObject } from '../../wire/responses/fields.ts'
import { isModelList, isModelName, requestedModels } from '../requested-models.ts'
import type { RequestFacts } from '../surface.ts'
import { checkInput } from './check-input.ts'
import { checkToolChoice, checkTools } from './check-tools.ts'
import { responsesPromptShape } from './prompt-shape.ts'

/**
 * Checks what the gateway reads of a Responses body, and refuses what it does not offer with any provider. As with
 * OpenAI, null is as good as absent for what is optional.
 *
 * @throws ServiceError naming the field that is wrong
 */
export function readResponsesFacts(body: Body): RequestFacts {
  for (const { param, accepts, demand } of rules) {
    if (accepts(body[param], body)) continue
    const message = body[param] === undefined ? `${param} is required.` : `${param} ${demand}.`
    throw new ServiceError('invalid_request', message, { param })
  }
  refuseUnoffered(body)
  checkInput(body.input)
  checkTools(body.tools)
  checkToolChoice(body.tool_choice)
  return factsOf(body as unknown as CheckedBody, body)
}

interface Rule {
  readonly param: string
  readonly accepts: (value: unknown, body: Body) => boolean
  readonly demand: string
}

const rules: readonly Rule[] = [
  {
    param: 'model',
    accepts: isModelOrNamedElsewhere,
    demand: 'must be a string of 1 to 256 printable ASCII characters',
  },
  { param: 'models', accepts: optional(isModelList), demand: 'must be an array of 1 to 8 model names' },
  { param: 'input', accepts: isInput, demand: 'must be a string or a non-empty array' },
  { param: 'instructions', accepts: optional(isString), demand: 'must be a string' },
  { param: 'stream', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'store', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'parallel_tool_calls', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'background', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'max_output_tokens', accepts: optional(isPositiveInteger), demand: 'must be a positive integer' },
  { param: 'previous_response_id', accepts: optional(isString), demand: 'must be a string' },
  { param: 'tools', accepts: optional(Array.isArray), demand: 'must be an array' },
  { param: 'include', accepts: optional(isTexts), demand: 'must be an array of strings' },
  { param: 'text', accepts: optional(isObject), demand: 'must be an object' },
  { param: 'reasoning', accepts: optional(isObject), demand: 'must be an object' },
  { param: 'metadata', accepts: optional(isObject), demand: 'must be an object' },
]

/** What lives at OpenAI alone: its stored prompts and conversations, and what it does beside answering. */
const unoffered: readonly string[] = [
  'conversation',
  'prompt',
  'context_management',
  'moderation',
  'access_programs',
  'image',
]

function refuseUnoffered(body: Body): void {
  if (body.background === true) {
    const message = 'Background responses are not supported; leave background out or stream.'
    throw new ServiceError('unsupported_parameter', message, { param: 'background' })
  }
  const param = unoffered.find((name) => body[name] !== undefined && body[name] !== null)
  if (param !== undefined) throw new ServiceError('unsupported_parameter', `${param} is not supported.`, { param })
}

/** What a body that kept the rules is known to be. */
interface CheckedBody {
  readonly model?: string | null
  readonly models?: readonly string[] | null
  readonly stream?: boolean | null
  readonly max_output_tokens?: number | null
}

function factsOf({ model, models, stream, max_output_tokens }: CheckedBody, body: Body): RequestFacts {
  return {
    models: requestedModels(model, models),
    stream: stream ?? false,
    includeUsage: true,
    n: 1,
    maxTokens: max_output_tokens ?? null,
    searches: 0,
    prompt: responsesPromptShape(body),
  }
}

function isModelOrNamedElsewhere(value: unknown, { models }: Body): boolean {
  return isModelName(value) || ((value === undefined || value === null) && isModelList(models))
}

function optional(accepts: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || value === null || accepts(value)
}

function isInput(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.length > 0)
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isObject(value: unknown): boolean {
  return asObject(value) !== null
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString)
}

function isPositiveInteger(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}
