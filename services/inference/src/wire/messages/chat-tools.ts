import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'
import { drop, type Leniency } from '../leniency.ts'
import { offeredTools } from '../offered-tools.ts'
import { madeOf } from '../origins.ts'
import { invalid, unsupported } from '../refusal.ts'
import { type CachingPlace, cacheHint } from './cache-hints.ts'
import { toolsAfterChanges } from './tool-changes.ts'

interface ToolPlace extends CachingPlace {
  readonly leniency: Leniency | undefined
}

/** The tools of a Messages request and their choice, as fields of a chat completion. Tools of Anthropic do not exist elsewhere. */
export function chatTools(body: Body, hinted: Omit<ToolPlace, 'path'>): Body {
  const own = offeredTools(
    { ...body, tools: toolsAfterChanges(body) },
    { isKept: isClients, leniency: hinted.leniency },
  )
  if (own.length === 0) return {}
  return {
    tools: own.map(({ tool, path }) => {
      const place = { ...hinted, path }
      return madeOf(place, { ...chatTool(tool, place), ...cacheHint(tool, place) })
    }),
    ...chatChoice(asObject(body.tool_choice)),
  }
}

function isClients({ type }: Fields): boolean {
  return type === undefined || type === null || type === 'custom'
}

function chatTool(
  { type, name, description, input_schema: schema, strict, ...more }: Fields,
  { path, leniency }: ToolPlace,
): Body {
  if (typeof name !== 'string') throw invalid(`${path}.name`, 'must be a string')
  if (asObject(schema) === null) throw invalid(`${path}.input_schema`, 'must be an object')
  refuseMore(more, path, leniency)
  return {
    type: 'function',
    function: {
      name,
      parameters: schema,
      ...(typeof description === 'string' ? { description } : {}),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    },
  }
}

/** Members about streaming and caching, which do not change the tool itself. */
const passedOver = new Set(['cache_control', 'eager_input_streaming'])

function refuseMore(more: Fields, path: string, leniency: Leniency | undefined): void {
  for (const [name, value] of Object.entries(more)) {
    if (passedOver.has(name) || value === null || value === false || isDirectOnly(name, value)) continue
    // The code that Anthropic would run may not be there to call a tool, so that the model calls it itself.
    if (leniency === undefined) throw unsupported(`${path}.${name}`)
    drop(leniency, `tools.${name}`)
  }
}

function isDirectOnly(name: string, value: unknown): boolean {
  return name === 'allowed_callers' && Array.isArray(value) && value.every((caller) => caller === 'direct')
}

function chatChoice(choice: Fields | null): Body {
  if (choice === null) return {}
  const { type, name, disable_parallel_tool_use: isSerial } = choice
  const parallel = typeof isSerial === 'boolean' ? { parallel_tool_calls: !isSerial } : {}
  switch (type) {
    case 'auto':
    case 'none':
      return { tool_choice: type, ...parallel }
    case 'any':
      return { tool_choice: 'required', ...parallel }
    case 'tool':
      if (typeof name !== 'string') throw invalid('tool_choice.name', 'must be a string')
      return { tool_choice: { type: 'function', function: { name } }, ...parallel }
    default:
      throw unsupported('tool_choice.type')
  }
}
