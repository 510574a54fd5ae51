import { asText, type Fields, isObject } from '@ratchet/service-kit/values/json'
import { geminiFields, invalidAt, listAt, objectAt, textAt, unsupportedAt } from './gemini-fields.ts'

/** Settings with the names that a chat completion has for them. */
const names = {
  maxOutputTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stopSequences: 'stop',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  candidateCount: 'n',
  responseLogprobs: 'logprobs',
  logprobs: 'top_logprobs',
} as const

const known = [
  ...(Object.keys(names) as (keyof typeof names)[]),
  ...(['responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities', 'thinkingConfig'] as const),
] as const

export interface GeminiSettings {
  /** Members of the chat completion. */
  readonly members: Fields
  /** Whether the client wants to see the model's thoughts. */
  readonly showsThoughts: boolean
}

/** @throws ServiceError naming the setting that a chat does not have */
export function chatSettings(value: unknown): GeminiSettings {
  if (value === undefined || value === null) return { members: {}, showsThoughts: false }
  const at = 'generationConfig'
  const config = geminiFields(value, at, known)
  const plain = Object.entries(names).flatMap(([name, chatName]) => {
    const setting = config[name as keyof typeof names]
    return setting === undefined ? [] : [[chatName, setting]]
  })
  const modalities = listAt(config.responseModalities, `${at}.responseModalities`)
  if (modalities.some((each) => each !== 'TEXT')) throw unsupportedAt(`${at}.responseModalities`, 'answers are text')
  const { effort, showsThoughts } = thinking(config.thinkingConfig, `${at}.thinkingConfig`)
  const members = { ...Object.fromEntries(plain), ...formatOf(config, at), ...effort }
  return { members, showsThoughts }
}

function formatOf(
  {
    responseMimeType: type,
    responseSchema,
    responseJsonSchema,
  }: Readonly<Partial<Record<(typeof known)[number], unknown>>>,
  at: string,
): Fields {
  if (type === undefined || type === 'text/plain') return {}
  if (type !== 'application/json') throw unsupportedAt(`${at}.responseMimeType`, 'it is text/plain or application/json')
  const schema = responseJsonSchema ?? (responseSchema === undefined ? undefined : jsonSchema(responseSchema))
  if (schema === undefined) return { response_format: { type: 'json_object' } }
  return { response_format: { type: 'json_schema', json_schema: { name: 'response', schema } } }
}

/** Gemini's own schemas are OpenAPI's with types in capitals, and `nullable` beside them. */
export function jsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonSchema)
  if (!isObject(value)) return value
  const { type, nullable, propertyOrdering: _ordering, ...rest } = value
  const converted = Object.fromEntries(
    Object.entries(rest).map(([key, member]) => [
      key,
      key === 'properties' ? propertiesOf(member) : jsonSchema(member),
    ]),
  )
  const lower = typeof type === 'string' ? type.toLowerCase() : type
  return {
    ...(lower === undefined ? {} : { type: nullable === true ? [lower, 'null'] : lower }),
    ...converted,
  }
}

/** The names of properties are the client's: one may be called `type`. */
function propertiesOf(value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, jsonSchema(schema)]))
}

const lowBudget = 1_024
const mediumBudget = 8_192

function thinking(value: unknown, at: string): { readonly effort: Fields; readonly showsThoughts: boolean } {
  if (value === undefined) return { effort: {}, showsThoughts: false }
  const members = ['includeThoughts', 'thinkingBudget', 'thinkingLevel'] as const
  const { includeThoughts, thinkingBudget: budget, thinkingLevel: level } = geminiFields(value, at, members)
  const effort = level === undefined ? effortOf(budget, at) : textAt(level, `${at}.thinkingLevel`).toLowerCase()
  return { effort: effort === null ? {} : { reasoning_effort: effort }, showsThoughts: includeThoughts === true }
}

/** Null when the model decides. */
function effortOf(budget: unknown, at: string): string | null {
  if (budget === undefined || budget === -1) return null
  if (typeof budget !== 'number' || budget < 0) throw invalidAt(`${at}.thinkingBudget`, 'must be a number of tokens')
  if (budget === 0) return 'none'
  return budget <= lowBudget ? 'low' : budget <= mediumBudget ? 'medium' : 'high'
}

/** @throws ServiceError `unsupported_tool` for a tool that Google would run */
export function chatTools(tools: unknown, toolConfig: unknown): Fields {
  const declared = listAt(tools, 'tools').flatMap((tool, index) => {
    const at = `tools.${index}`
    const { functionDeclarations } = geminiFields(tool, at, ['functionDeclarations'])
    return listAt(functionDeclarations, `${at}.functionDeclarations`).map((each, place) =>
      functionOf(each, `${at}.functionDeclarations.${place}`),
    )
  })
  const choice = choiceOf(toolConfig)
  if (declared.length === 0) return {}
  const isOffered = (name: string) => choice.names === null || choice.names.has(name)
  const offered = declared.filter(({ name }) => isOffered(name)).map((each) => ({ type: 'function', function: each }))
  return { tools: offered, ...(choice.mode === null ? {} : { tool_choice: choice.mode }) }
}

interface DeclaredFunction {
  readonly name: string
}

function functionOf(value: unknown, at: string): DeclaredFunction {
  const members = ['name', 'description', 'parameters', 'parametersJsonSchema', 'response', 'behavior'] as const
  const { name, description, parameters, parametersJsonSchema } = geminiFields(value, at, members)
  const schema = parametersJsonSchema ?? (parameters === undefined ? undefined : jsonSchema(parameters))
  return {
    name: textAt(name, `${at}.name`),
    ...(description === undefined ? {} : { description: textAt(description, `${at}.description`) }),
    ...(schema === undefined ? {} : { parameters: objectAt(schema, `${at}.parameters`) }),
  }
}

interface ToolChoice {
  readonly mode: string | null
  /** The functions that may be called; null for all. */
  readonly names: ReadonlySet<string> | null
}

function choiceOf(toolConfig: unknown): ToolChoice {
  const nothing: ToolChoice = { mode: null, names: null }
  if (toolConfig === undefined) return nothing
  const { functionCallingConfig } = geminiFields(toolConfig, 'toolConfig', ['functionCallingConfig'])
  if (functionCallingConfig === undefined) return nothing
  const at = 'toolConfig.functionCallingConfig'
  const { mode, allowedFunctionNames } = geminiFields(functionCallingConfig, at, ['mode', 'allowedFunctionNames'])
  const named = allowedFunctionNames === undefined ? null : new Set(listAt(allowedFunctionNames, at).map(String))
  switch (asText(mode) ?? 'AUTO') {
    case 'AUTO':
    case 'VALIDATED':
      return { mode: null, names: named }
    case 'ANY':
      return { mode: 'required', names: named }
    case 'NONE':
      return { mode: 'none', names: null }
    default:
      throw invalidAt(`${at}.mode`, 'must be AUTO, ANY, NONE or VALIDATED')
  }
}
