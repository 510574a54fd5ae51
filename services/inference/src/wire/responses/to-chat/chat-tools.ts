import { asList, asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { Body } from '../../dialect.ts'
import { madeOf, type Origins } from '../../origins.ts'
import { CannotTranslate, unsupported } from './cannot-translate.ts'

/** Translates `tools`, `tool_choice` and `parallel_tool_calls` of a checked body. */
export function chatTools({ tools, tool_choice: choice, parallel_tool_calls }: Body, origins: Origins): Body {
  const allowed = allowedNames(choice)
  const given = asList(tools).map((tool, index) => {
    const place = { path: `tools.${index}`, origins }
    return madeOf(place, chatTool(asObject(tool) ?? {}, place.path))
  })
  const offered = given.filter((tool) => allowed === null || allowed.has(tool.function.name))
  if (offered.length === 0) return {}
  return {
    tools: offered,
    ...(isAbsent(choice) ? {} : { tool_choice: chatChoice(choice) }),
    ...(isAbsent(parallel_tool_calls) ? {} : { parallel_tool_calls }),
  }
}

/** Members that restrict or change calls, and that functions of a chat completion do not have. */
const foreign: readonly string[] = ['async', 'defer_loading', 'allowed_callers', 'output_schema']

function chatTool(tool: Fields, path: string) {
  const { type, name, description, parameters, strict } = tool
  if (type !== 'function') {
    const message = `Tools of type ${JSON.stringify(type)} are not supported with this model; use function tools.`
    throw new CannotTranslate('unsupported_tool', `${path}.type`, message)
  }
  const member = foreign.find((each) => !isAbsent(tool[each]) && tool[each] !== false)
  if (member !== undefined) throw unsupported(`${path}.${member}`, `Functions with ${member}`)
  return {
    type,
    function: {
      name,
      ...(isAbsent(description) ? {} : { description }),
      ...(isAbsent(parameters) ? {} : { parameters }),
      ...(isAbsent(strict) ? {} : { strict }),
    },
  }
}

/** The functions that `allowed_tools` names; null when all of them may be called. */
function allowedNames(choice: unknown): ReadonlySet<unknown> | null {
  const fields = asObject(choice)
  if (fields?.type !== 'allowed_tools') return null
  return new Set(asList(fields.tools).map((tool) => asObject(tool)?.name))
}

function chatChoice(choice: unknown): unknown {
  const fields = asObject(choice)
  if (fields === null) return choice
  if (fields.type === 'allowed_tools') return asText(fields.mode) ?? 'auto'
  if (fields.type === 'function') return { type: 'function', function: { name: fields.name } }
  const message = `A choice of type ${JSON.stringify(fields.type)} is not supported with this model.`
  throw new CannotTranslate('unsupported_tool', 'tool_choice.type', message)
}
