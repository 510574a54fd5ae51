import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { isExactNumber } from '@ratchet/service-kit/values/exact-json'
import { asList, asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { CatalogModel, HostedTool } from '../catalog/catalog.ts'
import type { Body, Dialect } from './dialect.ts'

/** Calls of hosted tools in one request that does not limit them. More cost too much to be held for each request. */
const usualMaxCalls = 4

/** The price of a tool that the provider runs; null when the client runs it, or when it has no price. */
export function hostedToolOf({ hostedTools }: Pick<CatalogModel, 'hostedTools'>, tool: Fields): HostedTool | null {
  const hosted = hostedTools.get(String(tool.type)) ?? null
  return hosted?.kind === 'container' && !isPlainContainer(tool.container) ? null : hosted
}

/** A container of the usual size without files. Those of a name may belong to another workspace. */
function isPlainContainer(container: unknown): boolean {
  const { type, memory_limit: memory, file_ids: files, ...rest } = asObject(container) ?? {}
  const isUsual = isAbsent(memory) || memory === '1g'
  return type === 'auto' && isUsual && asList(files).length === 0 && Object.keys(rest).length === 0
}

/** What a request may use of its provider beside tokens at the usual price. */
export interface PriceTerms {
  /** The service tier that the request names; null for the usual one. */
  readonly tier: string | null
  readonly hosted: readonly HostedTool[]
  /** Maximum calls of all hosted tools together. */
  readonly maxCalls: number
}

export const usualTerms: PriceTerms = { tier: null, hosted: [], maxCalls: 0 }

interface Asked {
  readonly dialect: Dialect
  readonly model: CatalogModel
  readonly body: Body
}

export function priceTerms({ dialect, model, body }: Asked): PriceTerms {
  const tier = tierOf(dialect, body)
  const terms = { ...usualTerms, tier: tier !== null && model.serviceTiers.has(tier) ? tier : null }
  if (model.hostedTools.size === 0 || dialect === 'chat') return terms
  const offered = asList(body.tools).flatMap((value) => {
    const tool = asObject(value) ?? {}
    const hosted = hostedToolOf(model, tool)
    return hosted === null ? [] : [{ hosted, maxCalls: limitOf(tool.max_uses) }]
  })
  if (offered.length === 0) return terms
  const summed = offered.reduce((sum, { maxCalls }) => sum + maxCalls, 0)
  const maxCalls = dialect === 'responses' ? limitOf(body.max_tool_calls) : summed
  return { ...terms, hosted: offered.map(({ hosted }) => hosted), maxCalls }
}

/** Only Anthropic calls it `speed`, and only its faster tier has this name. */
function tierOf(dialect: Dialect, { speed, service_tier: tier }: Body): string | null {
  if (dialect === 'messages') return speed === 'fast' ? speed : null
  return typeof tier === 'string' && tier !== 'fast' ? tier : null
}

function limitOf(value: unknown): number {
  return isLimit(value) ? value : usualMaxCalls
}

/** The edits that make the provider keep to the number of calls that is held for. */
export function callLimitEdits(body: Body): JsonEdits {
  return isLimit(body.max_tool_calls) ? {} : { max_tool_calls: String(usualMaxCalls) }
}

/** The tool with a limit for its calls, as Messages have it. */
export function withMaxUses(tool: Fields): Fields {
  return isLimit(tool.max_uses) ? tool : { ...tool, max_uses: usualMaxCalls }
}

function isLimit(value: unknown): value is number {
  // A number that is passed on as it was written is opaque: its text is that of its JSON.
  const number = isExactNumber(value) ? Number(JSON.stringify(value)) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 0
}
