import { asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { functionRules, toolChoiceRules } from '../common-members.ts'
import { cachePointAfter } from './cache-point.ts'
import { toolRules } from './chat-parameters.ts'
import type { ContentBlock, ConverseMessage, ToolConfig, ToolSpec } from './converse-body.ts'

/**
 * The tools of a request and the choice among them; null when there are none.
 *
 * Converse has no choice `none`, and requires the tools whenever the conversation has used one. So `none` omits the
 * tools where that is possible, and is refused otherwise. A request without tools gets those that the conversation used.
 *
 * @throws Refusal when a tool or the choice has no equivalent
 */
export function convertTools({ tools, tool_choice: choice }: Fields, { messages, caches }: ToolUse): ToolConfig | null {
  const list = tools ?? []
  if (!Array.isArray(list)) throw invalid('tools', 'must be an array')
  const blocks = messages.flatMap(({ content }) => content)
  const used = blocks.some((block) => 'toolUse' in block || 'toolResult' in block)
  if (list.length === 0) {
    if (isIdle(choice)) return used ? { tools: earlierTools(blocks) } : null
    throw invalid('tool_choice', 'may only be given with tools')
  }
  const specs = list.flatMap((value, index) => {
    const path = `tools.${index}`
    const tool = asObject(value)
    if (tool === null) throw invalid(path, 'must be an object')
    return [{ toolSpec: convertTool(tool, path) }, ...cachePointAfter(tool, { path, caches })]
  })
  if (choice !== 'none') return { tools: specs, ...convertChoice(choice) }
  if (used) throw unsupported('tool_choice', 'Bedrock does not support none after a tool was used')
  return null
}

/** The tools that were used, for a request that offers none. Nothing but their names is known. */
function earlierTools(blocks: readonly ContentBlock[]): ToolConfig['tools'] {
  const names = new Set(blocks.flatMap((block) => ('toolUse' in block ? [block.toolUse.name] : [])))
  const description = 'Used earlier; not available any more.'
  const inputSchema = { json: { type: 'object', properties: {} } }
  return [...(names.size === 0 ? ['earlier_tool'] : names)].map((name) => ({
    toolSpec: { name, description, inputSchema },
  }))
}

interface ToolUse {
  readonly messages: readonly ConverseMessage[]
  /** See {@link cachePointAfter}. */
  readonly caches: boolean
}

function isIdle(choice: unknown): boolean {
  return choice === undefined || choice === null || choice === 'auto' || choice === 'none'
}

function convertTool(tool: Fields, path: string): ToolSpec {
  if (tool.type !== 'function') throw unsupported(`${path}.type`, 'it must be function')
  checkMembers(tool, path, toolRules)
  const spec = asObject(tool.function)
  if (spec === null) throw invalid(`${path}.function`, 'must be an object')
  checkMembers(spec, `${path}.function`, functionRules)
  const { name, description, parameters, strict } = spec
  if (typeof name !== 'string') throw invalid(`${path}.function.name`, 'must be a string')
  return {
    name,
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    inputSchema: { json: inputSchema(parameters) },
    ...(strict === true ? { strict } : {}),
  }
}

/** Bedrock refuses a schema without a type, which clients write for functions without arguments. */
function inputSchema(parameters: unknown): unknown {
  return isAbsent(parameters) ? { type: 'object', properties: {} } : { type: 'object', ...asObject(parameters) }
}

function convertChoice(choice: unknown): Pick<ToolConfig, 'toolChoice'> {
  if (choice === undefined || choice === null) return {}
  if (choice === 'auto') return { toolChoice: { auto: {} } }
  if (choice === 'required') return { toolChoice: { any: {} } }
  const named = asObject(choice)
  if (named === null) throw invalid('tool_choice', 'must be auto, none, required or an object')
  const name = asObject(named.function)?.name
  if (named.type !== 'function') throw unsupported('tool_choice.type', 'it must be function')
  checkMembers(named, 'tool_choice', toolChoiceRules)
  if (typeof name !== 'string') throw invalid('tool_choice.function.name', 'must be a string')
  return { toolChoice: { tool: { name } } }
}
