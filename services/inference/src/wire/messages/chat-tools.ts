import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'
import { madeOf } from '../origins.ts'
import { invalid, Refusal, unsupported } from '../refusal.ts'
import { type CachingPlace, cacheHint } from './cache-hints.ts'

type Hinted = Omit<CachingPlace, 'path'>

/** The tools of a Messages request and their choice, as fields of a chat completion. */
export function chatTools({ tools, tool_choice: choice }: Body, { origins, keepsHints }: Hinted): Body {
  if (!Array.isArray(tools) || tools.length === 0) return {}
  return {
    tools: tools.map((tool, index) => {
      const place = { path: `tools.${index}`, origins, keepsHints }
      const given = asObject(tool) ?? {}
      return madeOf(place, { ...chatTool(given, place.path), ...cacheHint(given, place) })
    }),
    ...chatChoice(asObject(choice)),
  }
}

function chatTool({ type, name, description, input_schema: schema, strict, ...more }: Fields, path: string): Body {
  if (type !== undefined && type !== null && type !== 'custom') {
    const message = `The model has no tools of the type ${JSON.stringify(type)}.`
    throw new Refusal(`${path}.type`, 'unsupported_tool', message)
  }
  if (typeof name !== 'string') throw invalid(`${path}.name`, 'must be a string')
  if (asObject(schema) === null) throw invalid(`${path}.input_schema`, 'must be an object')
  refuseMore(more, path)
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

function refuseMore(more: Fields, path: string): void {
  for (const [name, value] of Object.entries(more)) {
    if (passedOver.has(name) || value === null || value === false || isDirectOnly(name, value)) continue
    throw unsupported(`${path}.${name}`)
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
