import { type Fields, isFields, textOf, wrongType, wrongValue } from './read-fields.ts'
import { WireError } from './wire-error.ts'

/** A function the model may call. */
export interface FunctionTool {
  name: string
  /** JSON Schema of the arguments. */
  parameters: Fields
}

/** `tool_choice`: the model decides, calls are forbidden, any call is required, or a call of this tool. */
export type RequestedTool = 'auto' | 'none' | 'required' | { name: string }

/** The function tools of a body; tools of other types are accepted and never called. @throws WireError 400 */
export function readTools(body: Fields): readonly FunctionTool[] {
  const tools = body.tools ?? null
  if (tools === null) return []
  if (!Array.isArray(tools)) throw wrongType('tools', 'an array of objects', tools)
  return tools.flatMap((tool, index) => readTool(tool, `tools[${index}]`))
}

/**
 * Reads `tool_choice`.
 *
 * @throws WireError 400 when it requires a tool that is not in the request
 */
export function readRequestedTool(value: unknown, tools: readonly FunctionTool[]): RequestedTool {
  if (value === null || value === 'auto') return 'auto'
  if (value === 'none' || value === 'required') return value
  if (!isFields(value)) throw wrongValue('tool_choice', value, ['none', 'auto', 'required'])
  if (value.type === 'allowed_tools') return modeOf(value)
  // A tool of another type is never called.
  if (typeof value.type === 'string' && value.type !== 'function') return 'auto'
  const requested = isFields(value.function) ? value.function : {}
  const name = textOf(requested, 'name', 'tool_choice.function.name')
  if (tools.some((tool) => tool.name === name)) return { name }
  const message = `Invalid value for 'tool_choice': '${name}' is not one of the tools.`
  throw new WireError(400, message, { param: 'tool_choice' })
}

/** The mode of a choice among some tools, which chat completions have in an object of its own. */
function modeOf(choice: Fields): RequestedTool {
  const allowed = isFields(choice.allowed_tools) ? choice.allowed_tools : choice
  const mode = textOf(allowed, 'mode', 'tool_choice.mode')
  if (mode === 'auto' || mode === 'required') return mode
  throw wrongValue('tool_choice.mode', mode, ['auto', 'required'])
}

function readTool(tool: unknown, path: string): FunctionTool[] {
  if (!isFields(tool)) throw wrongType(path, 'an object', tool)
  if (textOf(tool, 'type', `${path}.type`) !== 'function') return []
  const definition = tool.function
  if (!isFields(definition)) throw wrongType(`${path}.function`, 'an object', definition ?? null)
  const name = textOf(definition, 'name', `${path}.function.name`)
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    const message = `Invalid '${path}.function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
    throw new WireError(400, message, { param: `${path}.function.name`, code: 'invalid_value' })
  }
  return [{ name, parameters: isFields(definition.parameters) ? definition.parameters : {} }]
}
