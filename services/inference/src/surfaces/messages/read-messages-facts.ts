import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { asList, asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { checkFields, type FieldRule, fieldFault, optional } from '../check-fields.ts'
import type { RequestFacts } from '../surface.ts'
import { messagesPromptShape } from './messages-prompt-shape.ts'

/**
 * Checks the fields of a Messages request that the gateway reads. The other fields are checked by the provider. Null
 * counts as absent for optional fields.
 *
 * @throws ServiceError naming the field that is wrong
 */
export function readMessagesFacts(body: Body): RequestFacts {
  const { requestedModel, fallbackModels } = checkFields(body, rules)
  refuseThread(body.thread ?? null)
  const { messages, system, max_tokens: maxTokens, stream, tools } = body as unknown as CheckedBody
  for (const [index, message] of messages.entries()) checkMessage(message, `messages.${index}`)
  if (Array.isArray(system)) checkBlocks(system, 'system')
  return {
    requestedModel,
    fallbackModels,
    stream: stream ?? false,
    includeUsage: true,
    n: 1,
    maxTokens,
    searches: 0,
    prompt: messagesPromptShape({ messages, system, tools: tools ?? [] }),
  }
}

const rules: readonly FieldRule[] = [
  { param: 'max_tokens', accepts: isCount, demand: 'must be an integer of at least 0' },
  { param: 'messages', accepts: isFilledList, demand: 'must be a non-empty array' },
  { param: 'system', accepts: optional(isTextOrList), demand: 'must be a string or an array of text blocks' },
  { param: 'stream', accepts: optional(isBoolean), demand: 'must be a boolean' },
  { param: 'tools', accepts: optional(isListOfObjects), demand: 'must be an array of objects' },
  { param: 'stop_sequences', accepts: optional(isListOfTexts), demand: 'must be an array of strings' },
]

/** The fields of a body that passed the rules. */
interface CheckedBody {
  readonly max_tokens: number
  readonly messages: readonly unknown[]
  readonly system?: string | readonly unknown[] | null
  readonly stream?: boolean | null
  readonly tools?: readonly unknown[] | null
}

/**
 * A conversation that the provider stores can neither be priced nor separated from other workspaces. With these
 * details Anthropic's SDK sends the whole conversation instead.
 */
function refuseThread(thread: unknown): void {
  if (thread === null) return
  throw new ServiceError('unsupported_parameter', 'thread is not supported: send all messages of the conversation.', {
    param: 'thread',
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  })
}

const roles = ['user', 'assistant', 'system']

function checkMessage(message: unknown, path: string): void {
  const fields = asObject(message)
  if (fields === null) throw fieldFault({ param: path, demand: 'must be an object' }, message)
  const { role, content } = fields
  if (!roles.some((known) => known === role))
    throw fieldFault({ param: `${path}.role`, demand: 'must be "user" or "assistant"' }, role)
  if (typeof content === 'string') return
  if (!Array.isArray(content))
    throw fieldFault({ param: `${path}.content`, demand: 'must be a string or an array of blocks' }, content)
  checkBlocks(content, `${path}.content`)
}

function checkBlocks(blocks: readonly unknown[], path: string): void {
  for (const [index, block] of blocks.entries()) {
    const fields = asObject(block)
    if (fields === null) throw fieldFault({ param: `${path}.${index}`, demand: 'must be an object' }, block)
    if (typeof fields.type !== 'string')
      throw fieldFault({ param: `${path}.${index}.type`, demand: 'must be a string' }, fields.type)
    refuseStoredFiles(fields, `${path}.${index}`)
  }
}

/** Workspaces share the provider's account, and its files with it, so that an id says nothing about whose file it is. */
function refuseStoredFiles(block: Fields, path: string): void {
  const source = asObject(block.source)
  if (source !== null && !isAbsent(source.file_id)) {
    const param = `${path}.source.file_id`
    const message = `${param} is not supported: send the content of the file in the request.`
    throw new ServiceError('unsupported_parameter', message, { param })
  }
  for (const [index, inner] of asList(block.content).entries()) {
    refuseStoredFiles(asObject(inner) ?? {}, `${path}.content.${index}`)
  }
  if (source !== null) refuseStoredFiles({ content: source.content }, `${path}.source`)
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean'
}

/** Zero requests no answer: the provider only caches the prompt. */
function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

function isTextOrList(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value)
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => asObject(item) !== null)
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
