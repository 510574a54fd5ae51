import { asList, isAbsent, isObject } from '@ratchet/service-kit/values/json'
import { isModelList, isModelName, requestedModels } from '../requested-models.ts'
import type { RequestFacts } from '../surface.ts'
import { chatPromptShape } from './chat-prompt-shape.ts'

export interface ChatFault {
  readonly ok: false
  readonly code: 'invalid_request' | 'unsupported_parameter' | 'unsupported_tool'
  /** The path of the field, as in `messages.0.role`. */
  readonly param: string
  readonly message: string
}

export type ChatCheck = { readonly ok: true; readonly facts: RequestFacts } | ChatFault

/**
 * Checks the fields of a chat completion that the gateway reads. The other fields are checked by the provider. As with
 * OpenAI, null counts as absent for optional fields.
 */
export function checkChatRequest(body: Readonly<Record<string, unknown>>): ChatCheck {
  const broken = rules.find(({ param, accepts }) => !accepts(body[param], body))
  if (broken !== undefined) return fault(broken, body[broken.param])
  const checked = body as unknown as CheckedBody
  return (
    faultInTools(checked.tools ?? []) ??
    faultInMessages(checked.messages) ??
    faultInStreamOptions(checked) ?? { ok: true, facts: factsOf(checked) }
  )
}

interface Rule {
  readonly param: string
  readonly accepts: (value: unknown, body: Readonly<Record<string, unknown>>) => boolean
  readonly demand: string
}

const rules: readonly Rule[] = [
  {
    param: 'model',
    accepts: isModelOrNamedElsewhere,
    demand: 'must be a string of 1 to 256 printable ASCII characters',
  },
  { param: 'messages', accepts: isFilledList, demand: 'must be a non-empty array' },
  { param: 'stream', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'stream_options', accepts: optional(isObject), demand: 'must be an object' },
  { param: 'n', accepts: optional(isChoiceCount), demand: 'must be an integer from 1 to 128' },
  { param: 'max_tokens', accepts: optional(isPositiveInteger), demand: 'must be a positive integer' },
  { param: 'max_completion_tokens', accepts: optional(isPositiveInteger), demand: 'must be a positive integer' },
  { param: 'tools', accepts: optional(Array.isArray), demand: 'must be an array' },
  { param: 'stop', accepts: optional(isTextOrTexts), demand: 'must be a string or an array of strings' },
  { param: 'models', accepts: optional(isModelList), demand: 'must be an array of 1 to 8 model names' },
]

/** The fields of a body that passed the rules. */
interface CheckedBody {
  readonly model?: string | null
  readonly models?: readonly string[] | null
  readonly messages: readonly unknown[]
  readonly stream?: boolean | null
  readonly stream_options?: Readonly<Record<string, unknown>> | null
  readonly n?: number | null
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly tools?: readonly unknown[] | null
  readonly functions?: unknown
}

function factsOf(body: CheckedBody): RequestFacts {
  const { requestedModel, fallbackModels } = requestedModels(body.model, body.models)
  const maxTokens = Math.max(body.max_tokens ?? 0, body.max_completion_tokens ?? 0)
  return {
    requestedModel,
    fallbackModels,
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage === true,
    n: body.n ?? 1,
    maxTokens: maxTokens === 0 ? null : maxTokens,
    searches: 0,
    prompt: chatPromptShape({ messages: body.messages, tools: [...(body.tools ?? []), ...asList(body.functions)] }),
  }
}

function faultInMessages(messages: readonly unknown[]): ChatFault | null {
  for (const [index, message] of messages.entries()) {
    if (!isObject(message)) return fault({ param: `messages.${index}`, demand: 'must be an object' }, message)
    const { role, content } = message
    if (typeof role !== 'string' || role === '') {
      return fault({ param: `messages.${index}.role`, demand: 'must be a non-empty string' }, role)
    }
    const foreign = faultInParts(content, `messages.${index}.content`)
    if (foreign !== null) return foreign
  }
  return null
}

/**
 * Workspaces share the provider's account, and its files with it, so that an id or an address inside the account says
 * nothing about whose file it is.
 */
function faultInParts(content: unknown, path: string): ChatFault | null {
  if (!Array.isArray(content)) return null
  for (const [index, part] of content.entries()) {
    const place = isObject(part) ? placeOfStoredFile(part) : null
    if (place === null) continue
    const param = `${path}.${index}.${place}`
    const message = `${param} is not supported: send the content of the file, or an address that anyone can read.`
    return { ok: false, code: 'unsupported_parameter', param, message }
  }
  return null
}

/** Such as `ms://` and `gs://`. Text without a scheme is the content itself at some hosts. */
const addressInAccount = /^(?!https?:|data:)[a-z][a-z\d+.-]*:\/\//i

/** OpenAI names a file inside `file`, Mistral and others beside the type; addresses are texts or in `url`. */
function placeOfStoredFile(part: Readonly<Record<string, unknown>>): string | null {
  if (!isAbsent(part.file_id)) return 'file_id'
  for (const name of ['file', 'image_url', 'video_url', 'audio_url', 'document_url'] as const) {
    const value = part[name]
    if (typeof value === 'string' && addressInAccount.test(value)) return name
    if (!isObject(value)) continue
    if (!isAbsent(value.file_id)) return `${name}.file_id`
    if (typeof value.url === 'string' && addressInAccount.test(value.url)) return `${name}.url`
  }
  return null
}

/** Mistral's SDK sends functions without a type. */
function faultInTools(tools: readonly unknown[]): ChatFault | null {
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) return fault({ param: `tools.${index}`, demand: 'must be an object' }, tool)
    if (typeof tool.type === 'string' || (isAbsent(tool.type) && isObject(tool.function))) continue
    return fault({ param: `tools.${index}.type`, demand: 'must be a string' }, tool.type)
  }
  return null
}

function faultInStreamOptions({ stream_options: options }: CheckedBody): ChatFault | null {
  const includeUsage = options?.include_usage
  if (optional(isBoolean)(includeUsage)) return null
  return fault({ param: 'stream_options.include_usage', demand: 'must be a boolean' }, includeUsage)
}

function fault({ param, demand }: Omit<Rule, 'accepts'>, value: unknown): ChatFault {
  const message = value === undefined ? `${param} is required.` : `${param} ${demand}.`
  return { ok: false, code: 'invalid_request', param, message }
}

function optional(accepts: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isAbsent(value) || accepts(value)
}

/** `model` may be absent when `models` names at least one. */
function isModelOrNamedElsewhere(model: unknown, { models }: Readonly<Record<string, unknown>>): boolean {
  return isAbsent(model) ? !isAbsent(models) : isModelName(model)
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function isPositiveInteger(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
}

function isChoiceCount(value: unknown): boolean {
  return isPositiveInteger(value) && Number(value) <= 128
}

function isTextOrTexts(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'))
}
