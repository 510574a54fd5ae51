import { type Fields, isFields, missing, textOf, wrongType, wrongValue } from './read-fields.ts'
import { canRead } from './reasoning-item.ts'
import { WireError } from './wire-error.ts'

/**
 * The items of a Responses input as chat messages, refused where OpenAI refuses them for a stateless request.
 *
 * @param model the id of the model that reads them
 * @throws WireError 400, or 404 for an item that would have to be looked up
 */
export function readItems(input: unknown, model: string): Fields[] {
  if (input === null) throw missing('input')
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!Array.isArray(input)) throw wrongType('input', 'a string or an array of objects', input)
  const items = input.map((item: unknown, index) => checkedItem(item, `input[${index}]`))
  checkReasoning(items, model)
  checkCalls(items)
  return items.flatMap((item, index) => readItem(item, `input[${index}]`))
}

/** The allowed members of each item besides its type, and the prefix of its id. */
const shapes: Readonly<Record<string, { readonly id: string; readonly members: readonly string[] }>> = {
  message: { id: 'msg', members: ['role', 'content', 'status', 'phase'] },
  // Calls that the client ran, with what came of them.
  local_shell_call: { id: '', members: ['call_id', 'action', 'status'] },
  local_shell_call_output: { id: '', members: ['call_id', 'output', 'status'] },
  shell_call: { id: '', members: ['call_id', 'action', 'status', 'environment', 'caller'] },
  shell_call_output: { id: '', members: ['call_id', 'output', 'max_output_length', 'status', 'caller'] },
  apply_patch_call: { id: '', members: ['call_id', 'operation', 'status', 'caller'] },
  apply_patch_call_output: { id: '', members: ['call_id', 'output', 'status', 'caller'] },
  computer_call: { id: 'cu', members: ['call_id', 'action', 'actions', 'pending_safety_checks', 'status'] },
  computer_call_output: { id: 'cu', members: ['call_id', 'output', 'acknowledged_safety_checks', 'status'] },
  tool_search_call: { id: '', members: ['call_id', 'arguments', 'execution', 'status'] },
  tool_search_output: { id: '', members: ['call_id', 'tools', 'execution', 'status'] },
  // Calls that OpenAI ran.
  file_search_call: { id: 'fs', members: ['queries', 'results', 'status'] },
  image_generation_call: {
    id: 'ig',
    members: [
      ...['result', 'status', 'action', 'background', 'error', 'output_format'],
      ...['quality', 'revised_prompt', 'size', 'svg_usage'],
    ],
  },
  mcp_list_tools: { id: '', members: ['server_label', 'tools', 'error'] },
  mcp_call: {
    id: '',
    members: ['server_label', 'name', 'arguments', 'output', 'error', 'status', 'approval_request_id'],
  },
  // About the request itself.
  additional_tools: { id: '', members: ['role', 'tools'] },
  configuration_update: { id: '', members: ['reasoning', 'text'] },
  compaction: { id: 'cmp', members: ['encrypted_content'] },
  compaction_trigger: { id: '', members: [] },
  reasoning: { id: 'rs', members: ['summary', 'content', 'encrypted_content', 'status'] },
  function_call: { id: 'fc', members: ['call_id', 'name', 'arguments', 'status', 'namespace', 'caller', 'async'] },
  function_call_output: { id: 'fc', members: ['call_id', 'output', 'status', 'caller', 'name', 'namespace'] },
  custom_tool_call: { id: 'ctc', members: ['call_id', 'name', 'input', 'status', 'namespace', 'caller'] },
  custom_tool_call_output: { id: 'ctc', members: ['call_id', 'output', 'status', 'caller'] },
  web_search_call: { id: 'ws', members: ['status', 'action'] },
  code_interpreter_call: { id: 'ci', members: ['status', 'container_id', 'code', 'outputs'] },
  item_reference: { id: '', members: [] },
}

function checkedItem(item: unknown, path: string): Fields {
  if (!isFields(item)) throw wrongType(path, 'an object', item)
  const type = String(item.type ?? 'message')
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined
  if (shape === undefined) throw wrongValue(`${path}.type`, item.type, Object.keys(shapes))
  const unknown = Object.keys(item).find((name) => !['type', 'id', ...shape.members].includes(name))
  if (unknown !== undefined) throw unknownMember(`${path}.${unknown}`)
  const id = item.id ?? null
  if (id !== null && !String(id).startsWith(shape.id)) {
    const message = `Invalid '${path}.id': '${String(id)}'. Expected an ID that begins with '${shape.id}'.`
    throw new WireError(400, message, { param: `${path}.id`, code: 'invalid_value' })
  }
  if (type === 'item_reference') throw notFound(id)
  return item
}

/** Reasoning is accepted only if it is encrypted, by the model that wrote it, and with the item that followed it. */
function checkReasoning(items: readonly Fields[], model: string): void {
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning') continue
    const encrypted = item.encrypted_content ?? null
    if (encrypted === null) throw notFound(item.id)
    if (!canRead(model, encrypted)) {
      const message = `The encrypted content for item ${String(item.id)} could not be verified.`
      throw new WireError(400, message, { code: 'invalid_encrypted_content' })
    }
    const next = items.slice(index + 1).find(({ type }) => type !== 'reasoning')
    if (next === undefined || !isWritten(next)) {
      const message = `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`
      throw new WireError(400, message, { param: 'input' })
    }
  }
}

/** True when a model wrote the item. */
function isWritten({ type, role }: Fields): boolean {
  return type === 'function_call' || type === 'custom_tool_call' || role === 'assistant'
}

/** Every call must have its output, and every output its call. */
function checkCalls(items: readonly Fields[]): void {
  const idsOf = (requested: string) => items.filter(({ type }) => type === requested).map(({ call_id }) => call_id)
  const [calls, outputs] = [idsOf('function_call'), idsOf('function_call_output')]
  const silent = calls.find((id) => !outputs.includes(id))
  const orphan = outputs.find((id) => !calls.includes(id))
  if (silent !== undefined) throw lonely(`No tool output found for function call ${String(silent)}.`)
  if (orphan !== undefined) throw lonely(`No tool call found for function call output with call_id ${String(orphan)}.`)
}

function lonely(message: string): WireError {
  return new WireError(400, message, { param: 'input' })
}

function unknownMember(path: string): WireError {
  return new WireError(400, `Unknown parameter: '${path}'.`, { param: path, code: 'unknown_parameter' })
}

function notFound(id: unknown): WireError {
  const advice = 'Try again with `store` set to true, or remove this item from your input.'
  const message = `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. ${advice}`
  return new WireError(404, message, { param: 'input' })
}

/** The simulated models read nothing from reasoning. */
function readItem(item: Fields, path: string): Fields[] {
  const type = item.type ?? 'message'
  if (type === 'message')
    return [{ role: textOf(item, 'role', `${path}.role`), content: readContent(item.content, path) }]
  if (type === 'function_call_output') {
    const output = item.output ?? ''
    const content = typeof output === 'string' ? output : JSON.stringify(output)
    return [{ role: 'tool', tool_call_id: callIdOf(item, path), content }]
  }
  if (type !== 'function_call') return []
  const call = { name: textOf(item, 'name', `${path}.name`), arguments: item.arguments }
  return [
    { role: 'assistant', content: null, tool_calls: [{ id: callIdOf(item, path), type: 'function', function: call }] },
  ]
}

const maxCallIdLength = 64

function callIdOf(item: Fields, path: string): string {
  const id = textOf(item, 'call_id', `${path}.call_id`)
  if (id.length <= maxCallIdLength) return id
  const message = `Invalid '${path}.call_id': string too long. Expected a string with maximum length ${maxCallIdLength}, but got a string with length ${id.length} instead.`
  throw new WireError(400, message, { param: `${path}.call_id`, code: 'string_above_max_length' })
}

function readContent(content: unknown, path: string): unknown {
  if (!Array.isArray(content)) return content
  return content.map((part: unknown, index) => {
    if (!isFields(part)) return part
    if (part.parsed !== undefined) throw unknownMember(`${path}.content[${index}].parsed`)
    if (part.type === 'input_text' || part.type === 'output_text') return { type: 'text', text: part.text }
    if (part.type === 'input_image') return { type: 'image_url', image_url: { url: part.image_url ?? part.file_id } }
    return part.type === 'input_file' ? { type: 'file' } : part
  })
}
