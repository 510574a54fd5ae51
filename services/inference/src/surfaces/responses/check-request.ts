import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { asList, asObject, isAbsent, isObject } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { isModelList, isModelName, requestedModels } from '../requested-models.ts'
import type { RequestFacts } from '../surface.ts'
import { checkInput } from './check-input.ts'
import { responsesPromptShape } from './prompt-shape.ts'

/**
 * Checks the fields of a Responses body that the gateway reads, and refuses features that no provider is asked for.
 * As with OpenAI, null counts as absent for optional fields.
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
  { param: 'generate', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'background', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'max_output_tokens', accepts: optional(isPositiveInteger), demand: 'must be a positive integer' },
  { param: 'previous_response_id', accepts: optional(isString), demand: 'must be a string' },
  { param: 'tools', accepts: optional(Array.isArray), demand: 'must be an array' },
  { param: 'include', accepts: optional(isTexts), demand: 'must be an array of strings' },
  { param: 'text', accepts: optional(isObject), demand: 'must be an object' },
  { param: 'reasoning', accepts: optional(isObject), demand: 'must be an object' },
  { param: 'metadata', accepts: optional(isObject), demand: 'must be an object' },
]

const plainChoices: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

/** Features that exist only at OpenAI, and that decide what the prompt is. */
const unoffered: readonly string[] = ['conversation', 'prompt']

function refuseUnoffered(body: Body): void {
  const param = unoffered.find((name) => body[name] !== undefined && body[name] !== null)
  if (param !== undefined) throw new ServiceError('unsupported_parameter', `${param} is not supported.`, { param })
}

/** Which types a model has is decided when it is known. */
function checkTools(tools: unknown): void {
  for (const [index, tool] of asList(tools).entries()) {
    const path = `tools.${index}`
    const fields = asObject(tool)
    if (fields === null) throw invalid(path, 'must be an object')
    if (typeof fields.type !== 'string') throw invalid(`${path}.type`, 'must be a string')
    const isNamed = fields.type === 'function' || fields.type === 'custom'
    if (isNamed && (typeof fields.name !== 'string' || fields.name === ''))
      throw invalid(`${path}.name`, 'must be a non-empty string')
  }
}

function checkToolChoice(choice: unknown): void {
  if (isAbsent(choice) || plainChoices.has(choice)) return
  const fields = asObject(choice)
  if (fields === null) throw invalid('tool_choice', 'must be auto, none, required or an object')
  if (typeof fields.type !== 'string') throw invalid('tool_choice.type', 'must be a string')
  if (fields.type === 'allowed_tools' && !Array.isArray(fields.tools))
    throw invalid('tool_choice.tools', 'must be an array')
}

function invalid(param: string, demand: string): ServiceError {
  return new ServiceError('invalid_request', `${param} ${demand}.`, { param })
}

/** The fields of a body that passed the rules. */
interface CheckedBody {
  readonly model?: string | null
  readonly models?: readonly string[] | null
  readonly stream?: boolean | null
  readonly max_output_tokens?: number | null
}

function factsOf({ model, models, stream, max_output_tokens }: CheckedBody, body: Body): RequestFacts {
  const { requestedModel, fallbackModels } = requestedModels(model, models)
  return {
    requestedModel,
    fallbackModels,
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

function isInput(value: unknown, { generate }: Body): boolean {
  if (generate === false && (isAbsent(value) || (Array.isArray(value) && value.length === 0))) return true
  return typeof value === 'string' || (Array.isArray(value) && value.length > 0)
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString)
}

function isPositiveInteger(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}
