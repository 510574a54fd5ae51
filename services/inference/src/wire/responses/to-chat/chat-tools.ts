import { asList, asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { functionOfCustom } from '../../custom-tools.ts'
import type { Body } from '../../dialect.ts'
import { drop, type Leniency } from '../../leniency.ts'
import { offeredTools } from '../../offered-tools.ts'
import { madeOf, type Origins } from '../../origins.ts'
import { Refusal } from '../../refusal.ts'
import { unsupportedFeature } from './unsupported-feature.ts'

interface Hinted {
  readonly origins: Origins
  readonly leniency: Leniency | undefined
}

/** Translates `tools`, `tool_choice` and `parallel_tool_calls` of a checked body. */
export function chatTools(body: Body, hinted: Hinted): Body {
  const { tool_choice: choice, parallel_tool_calls } = body
  const allowed = allowedNames(choice)
  const own = offeredTools(body, { isKept: (tool) => isTranslated(tool, hinted), leniency: hinted.leniency })
  const made = own.map(({ tool, path }) => madeOf({ path, origins: hinted.origins }, chatTool(tool, path, hinted)))
  const offered = made.filter((tool) => allowed === null || allowed.has(tool.function.name))
  if (offered.length === 0) return {}
  return {
    tools: offered,
    ...(isAbsent(choice) ? {} : { tool_choice: chatChoice(choice, hinted) }),
    ...(isAbsent(parallel_tool_calls) ? {} : { parallel_tool_calls }),
  }
}

function isTranslated({ type }: Fields, { leniency }: Hinted): boolean {
  return type === 'function' || (type === 'custom' && leniency !== undefined)
}

/** Members that functions of a chat completion do not have. Without them the model still calls the tool, by itself and at once. */
const foreign: readonly string[] = ['async', 'defer_loading', 'allowed_callers', 'output_schema']

function chatTool(tool: Fields, path: string, { leniency }: Hinted) {
  for (const member of foreign) {
    if (isAbsent(tool[member]) || tool[member] === false) continue
    if (leniency === undefined) throw unsupportedFeature(`${path}.${member}`, `Functions with ${member}`)
    drop(leniency, `tools.${member}`)
  }
  if (tool.type === 'custom') return { type: 'function', function: functionOfCustom(tool) }
  const { name, description, parameters, strict } = tool
  return {
    type: 'function',
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

function chatChoice(choice: unknown, hinted: Hinted): unknown {
  const fields = asObject(choice)
  if (fields === null) return choice
  if (fields.type === 'allowed_tools') return asText(fields.mode) ?? 'auto'
  if (isTranslated(fields, hinted)) return { type: 'function', function: { name: fields.name } }
  const message = `A choice of type ${JSON.stringify(fields.type)} is not supported with this model.`
  throw new Refusal('tool_choice.type', 'unsupported_tool', message)
}
