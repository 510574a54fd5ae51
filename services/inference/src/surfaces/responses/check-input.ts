import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { isReference } from '../../wire/responses/item-reference.ts'

const partTypes: ReadonlySet<unknown> = new Set(['input_text', 'input_image', 'input_file', 'output_text', 'refusal'])
/** Members that must be strings, by the type of the item or part. */
const textMembers: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['function_call', ['call_id', 'name', 'arguments']],
  ['function_call_output', ['call_id']],
  ['item_reference', ['id']],
  ['input_text', ['text']],
  ['output_text', ['text']],
  ['refusal', ['refusal']],
  ['input_image', ['image_url']],
])
const roles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer'])

/** @throws ServiceError naming the item, part or member that is wrong, as in `input.0.content.1.file_id` */
export function checkInput(input: unknown): void {
  if (!Array.isArray(input)) return
  for (const [index, item] of input.entries()) checkItem(item, `input.${index}`)
}

function checkItem(value: unknown, path: string): void {
  const item = asObject(value)
  if (item === null) throw invalid(path, 'must be an object')
  const type = item.type ?? (isReference(item) ? 'item_reference' : 'message')
  if (typeof type !== 'string') throw invalid(`${path}.type`, 'must be a string')
  requireTexts(item, path, textMembers.get(type) ?? [])
  if (type === 'message') checkMessage(item, path)
  if (type === 'function_call_output') checkContent(item.output, `${path}.output`)
}

function checkMessage({ role, content }: Fields, path: string): void {
  if (!roles.has(role)) throw invalid(`${path}.role`, 'must be user, assistant, system or developer')
  checkContent(content, `${path}.content`)
}

function checkContent(content: unknown, path: string): void {
  if (typeof content === 'string') return
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or an array')
  for (const [index, part] of content.entries()) checkPart(part, `${path}.${index}`)
}

function checkPart(value: unknown, path: string): void {
  const part = asObject(value)
  if (part === null) throw invalid(path, 'must be an object')
  if (!partTypes.has(part.type)) {
    throw unsupported(`${path}.type`, `Content parts of type ${JSON.stringify(part.type) ?? 'undefined'}`)
  }
  if (!isAbsent(part.file_id)) throw unsupported(`${path}.file_id`, 'Files that were uploaded before')
  requireTexts(part, path, textMembers.get(part.type) ?? [])
  if (part.type === 'input_file' && isAbsent(part.file_data) && isAbsent(part.file_url)) {
    throw invalid(`${path}.file_data`, 'or file_url is required')
  }
}

function requireTexts(fields: Fields, path: string, names: readonly string[]): void {
  const name = names.find((each) => typeof fields[each] !== 'string')
  if (name !== undefined) throw invalid(`${path}.${name}`, 'must be a string')
}

function invalid(param: string, demand: string): ServiceError {
  return new ServiceError('invalid_request', `${param} ${demand}.`, { param })
}

function unsupported(param: string, what: string): ServiceError {
  return new ServiceError('unsupported_parameter', `${what} are not supported (${param}).`, { param })
}
