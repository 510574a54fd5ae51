import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { asList, asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../../wire/dialect.ts'
import { callLimitEdits, hostedToolOf } from '../../wire/hosted-tools.ts'
import { drop, type Leniency } from '../../wire/leniency.ts'
import { offeredTools } from '../../wire/offered-tools.ts'
import { unsupported } from '../../wire/refusal.ts'

/** Tools of OpenAI that the client runs, so that they cost no more than their tokens. */
const clientRun: ReadonlySet<unknown> = new Set([
  'apply_patch',
  'computer',
  'computer_use_preview',
  'custom',
  'function',
  'local_shell',
  'namespace',
])

/**
 * The edits of a native Responses body that remove tools which OpenAI would run at a price that the catalog does not have,
 * and that limit the calls of the others.
 *
 * @throws Refusal naming such a tool, without leniency or when the model must call it
 */
export function toolEdits(body: Body, { model, leniency }: ToolFitting): JsonEdits {
  const isKept = (tool: Fields) => isClientRun(tool) || hostedToolOf(model, tool) !== null
  const kept = offeredTools(body, { isKept, leniency })
  const limits = kept.every(({ tool }) => isClientRun(tool)) ? {} : callLimitEdits(body)
  if (kept.length === asList(body.tools).length) return limits
  if (kept.length === 0) return { tools: undefined, tool_choice: undefined }
  const tools = kept.map(({ tool }) => calledDirectly(tool))
  return { ...limits, tools: JSON.stringify(tools), ...choiceEdits(body.tool_choice, isKept) }
}

/** Only a program that OpenAI would run may have been allowed to call it. */
function calledDirectly({ allowed_callers, ...tool }: Fields): Fields {
  return tool
}

interface ToolFitting {
  readonly model: CatalogModel
  readonly leniency: Leniency | undefined
}

/** Items that neither bring tools with them nor refer to what the provider stores for another request. */
const inertItems: ReadonlySet<unknown> = new Set([
  ...['message', 'reasoning', 'compaction', 'item_reference', 'mcp_list_tools', 'tool_search_call'],
  ...['web_search_call', 'file_search_call', 'image_generation_call', 'mcp_call'],
  ...['compaction_trigger', 'configuration_update'],
  ...['function', 'custom_tool', 'local_shell', 'shell', 'apply_patch', 'computer'].flatMap((of) => [
    `${of}_call`,
    `${of}_call_output`,
  ]),
])

/** Items with tools in them. */
const carriers: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])
/** Items that open their container again, which may be that of another workspace, or that ask for a call by OpenAI. */
const ofTools: ReadonlySet<unknown> = new Set([
  ...['code_interpreter_call', 'program', 'program_output'],
  ...['mcp_approval_request', 'mcp_approval_response'],
])

/**
 * The body without input items that would give the model a tool which OpenAI runs.
 *
 * @throws Refusal for an item of an unknown type, and for such an item without leniency
 */
export function withoutCarriers(body: Body, leniency: Leniency | undefined): Body {
  if (!Array.isArray(body.input)) return body
  const input = body.input.filter((value, index) => {
    const { type = 'message', tools } = asObject(value) ?? {}
    if (inertItems.has(type)) return true
    if (carriers.has(type) && asList(tools).every((tool) => isClientRun(asObject(tool) ?? {}))) return true
    const mayDrop = carriers.has(type) || ofTools.has(type)
    if (!mayDrop || leniency === undefined) throw unsupported(`input.${index}.type`, 'items of this type are not known')
    drop(leniency, `input.${type}`)
    return false
  })
  return input.length === body.input.length ? body : { ...body, input }
}

/** A shell runs at the client unless it names a container, and a search among tools when it says so. */
function isClientRun({ type, environment, execution }: Fields): boolean {
  if (type === 'shell') return isAbsent(environment) || asObject(environment)?.type === 'local'
  if (type === 'tool_search') return execution === 'client'
  return clientRun.has(type)
}

/** A choice among some tools must not name one that was left out. */
function choiceEdits(choice: unknown, isKept: (tool: Fields) => boolean): JsonEdits {
  const fields = asObject(choice)
  if (fields?.type !== 'allowed_tools') return {}
  const tools = asList(fields.tools).filter((tool) => isKept(asObject(tool) ?? {}))
  return { tool_choice: JSON.stringify(tools.length === 0 ? 'auto' : { ...fields, tools }) }
}
