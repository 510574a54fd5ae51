import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { customArguments } from '../../custom-tools.ts'
import { drop, type Leniency } from '../../leniency.ts'

/** An input item, or null for one that is left out. The list has the places of the request. */
export type FunctionItems = readonly (Fields | null)[]

/**
 * The input items with calls of other tools as calls of functions: of custom tools, and of tools that the client runs,
 * such as a shell. Calls that a provider ran are left out, because the text of that answer says what came of them.
 */
export function functionItems(input: unknown, leniency: Leniency | undefined): FunctionItems {
  const items = asList(input).map((value) => asObject(value) ?? {})
  if (leniency === undefined) return items
  const called = new Set(items.filter(isCall).map(idOf))
  const answered = new Set(items.filter(isOutput).map(idOf))
  return items.map((item) => {
    if (isOutput(item) && called.has(idOf(item))) return outputItem(item)
    if (isCall(item) && answered.has(idOf(item))) return callItem(item)
    if (!isOutput(item) && !isCall(item) && !isOfProvider(item)) return item
    drop(leniency, `input.${item.type}`)
    return null
  })
}

/** Types whose items a model of another provider can do without. */
const ofProvider: ReadonlySet<unknown> = new Set([
  'additional_tools',
  'configuration_update',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_list_tools',
  'program',
  'program_output',
])

function isOfProvider({ type }: Fields): boolean {
  return ofProvider.has(type)
}

function isCall({ type }: Fields): boolean {
  return typeof type === 'string' && type.endsWith('_call') && type !== 'function_call'
}

function isOutput({ type }: Fields): boolean {
  const isOther = type !== 'function_call_output'
  return typeof type === 'string' && isOther && (type.endsWith('_call_output') || type === 'tool_search_output')
}

function idOf({ call_id, id }: Fields): unknown {
  return call_id ?? id
}

function callItem(item: Fields): Fields {
  const { type, id, call_id, name, status, extra_content, reasoning_details, ...said } = item
  const isCustom = type === 'custom_tool_call'
  return {
    ...(extra_content === undefined ? {} : { extra_content }),
    ...(reasoning_details === undefined ? {} : { reasoning_details }),
    type: 'function_call',
    call_id: idOf(item),
    name: asText(name) ?? String(type).replace(/_call$/, ''),
    arguments: isCustom ? customArguments(said.input) : JSON.stringify(said),
  }
}

/** A screenshot as an image, which a model can see. */
function shownOutput(output: unknown): unknown {
  const { type, image_url: url } = asObject(output) ?? {}
  return type === 'computer_screenshot' && typeof url === 'string' ? [{ type: 'input_image', image_url: url }] : output
}

const partTypes: ReadonlySet<unknown> = new Set(['input_text', 'input_image', 'input_file', 'output_text'])

function outputItem(item: Fields): Fields {
  const output = shownOutput(item.output)
  const isReadable =
    typeof output === 'string' || (Array.isArray(output) && output.every((part) => partTypes.has(asObject(part)?.type)))
  return {
    type: 'function_call_output',
    call_id: idOf(item),
    output: isReadable ? output : JSON.stringify(output ?? ''),
  }
}
