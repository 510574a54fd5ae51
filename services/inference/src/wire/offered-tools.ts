import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { Body } from './dialect.ts'
import { drop, type Leniency } from './leniency.ts'
import { Refusal } from './refusal.ts'

export interface ToolRule {
  /** True for a tool that the model gets: the client runs it, or the provider does at a price of the catalog. */
  readonly isKept: (tool: Fields) => boolean
  readonly leniency: Leniency | undefined
}

export interface OfferedTool {
  readonly tool: Fields
  /** Its place in the request, as in `tools.0`. */
  readonly path: string
}

/**
 * The tools of a request that the model gets, in any dialect. The others would run at a provider, at a price that the
 * catalog does not have, so they are left out.
 *
 * @throws Refusal `unsupported_tool` for such a tool, without leniency or when the model must call it
 */
export function offeredTools({ tools, tool_choice: choice }: Body, { isKept, leniency }: ToolRule): OfferedTool[] {
  const given = asList(tools).map((tool, index) => ({ tool: asObject(tool) ?? {}, path: `tools.${index}` }))
  const kept = given.filter(({ tool }) => isKept(tool))
  const isDemanded = demandOf(choice, kept)
  for (const { tool, path } of given) {
    if (isKept(tool)) continue
    if (leniency === undefined || isDemanded(tool)) throw unsupportedTool(path, tool)
    drop(leniency, `tools.${tool.type}`)
  }
  return kept
}

/**
 * Tells whether the request has another meaning without a tool, because the model must call it. What is the same for all
 * tools is found once: a request may have tens of thousands of them, kept, left out and allowed.
 */
function demandOf(choice: unknown, kept: readonly OfferedTool[]): (tool: Fields) => boolean {
  const fields = asObject(choice)
  if (choice === 'required' || fields?.type === 'any') return () => kept.length === 0
  if (fields?.type === 'tool') return ({ name }) => fields.name === name
  if (fields?.type !== 'allowed_tools') return ({ type }) => fields?.type === type
  const isForced = fields.mode === 'required' && !allowsOneOf(kept, fields.tools)
  return () => isForced
}

function allowsOneOf(kept: readonly OfferedTool[], allowed: unknown): boolean {
  const references = asList(allowed).map((each) => asObject(each) ?? {})
  const byType = Map.groupBy(references, ({ type }) => type)
  const namesOf = new Map([...byType].map(([type, same]) => [type, new Set(same.map(({ name }) => name))]))
  return kept.some(({ tool: { type, name } }) => namesOf.get(type)?.has(name) === true)
}

function unsupportedTool(path: string, { type }: Fields): Refusal {
  const message = `Tools of the type ${JSON.stringify(String(type).slice(0, 64))} run at a provider, and this model has none at a price of the catalog; use function tools and run them yourself (${path}.type).`
  return new Refusal(`${path}.type`, 'unsupported_tool', message)
}
