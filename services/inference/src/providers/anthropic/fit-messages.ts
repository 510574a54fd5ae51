import { isDeepStrictEqual } from 'node:util'
import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../../wire/dialect.ts'
import { hostedToolOf, withMaxUses } from '../../wire/hosted-tools.ts'
import { exactEdits } from '../../wire/json/exact-json.ts'
import { drop, type Leniency } from '../../wire/leniency.ts'
import { longCachePath, withoutLongCaches } from '../../wire/long-cache.ts'
import { clientTools } from '../../wire/messages/client-tools.ts'
import { addedDefinition, isToolChange } from '../../wire/messages/tool-changes.ts'
import { offeredTools } from '../../wire/offered-tools.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { unsupported } from '../../wire/refusal.ts'

interface Fitting {
  readonly model: CatalogModel
  readonly leniency: Leniency | undefined
}

/**
 * The edits of a native Messages body that remove features which cost more than the catalog states, or which Anthropic
 * runs and charges for itself. Anthropic itself refuses fields that it does not know.
 *
 * @throws Refusal naming such a feature, without leniency or when the request has another meaning without it
 */
export function fitMessages(request: Pick<ProviderRequest, 'bytes' | 'scan' | 'body'>, fitting: Fitting): JsonEdits {
  return exactEdits(request, (body) => fitBody(body, fitting))
}

function fitBody(body: Body, fitting: Fitting): JsonEdits {
  const edits = { ...parameterEdits(body, fitting), ...toolEdits(body, fitting), ...changeEdits(body, fitting) }
  // The edits of caches copy whole members, so they must start from what the other edits leave.
  return { ...edits, ...cacheEdits(edited(body, edits), fitting) }
}

function edited(body: Body, edits: JsonEdits): Body {
  const values = Object.entries(edits).map(([name, text]) => [name, text && parseExact(String(text))])
  return { ...body, ...Object.fromEntries(values) }
}

interface Priced {
  /** The values that cost nothing extra. */
  readonly free: readonly unknown[]
  /** True when the answer is the same without the member, apart from its speed. */
  readonly isLabel: boolean
}

/** Top-level members that change the price. */
const priced: ReadonlyMap<string, Priced> = new Map<string, Priced>([
  ['speed', { free: ['standard'], isLabel: true }],
  ['inference_geo', { free: ['global'], isLabel: false }], // where data may be processed
  ['service_tier', { free: ['auto', 'standard_only'], isLabel: true }],
  ['container', { free: [], isLabel: true }], // for code execution, which is left out too
  ['mcp_servers', { free: [[]], isLabel: true }],
  ['fallbacks', { free: [[]], isLabel: true }], // names other models, which have prices of their own
  ['fallback_credit_token', { free: [], isLabel: true }], // makes the same tokens cheaper
  ['billing_policy', { free: [], isLabel: true }], // who pays Anthropic
  ['compaction', { free: [], isLabel: false }], // the usage of the answer lacks what a summary costs
])

function parameterEdits(body: Body, { model, leniency }: Fitting): JsonEdits {
  const edits: Record<string, string | undefined> = {}
  for (const [name, { free, isLabel }] of priced) {
    const value = Object.hasOwn(body, name) ? (body[name] ?? null) : null
    if (name === 'speed' && model.serviceTiers.has(String(value))) continue
    if (value === null || free.some((known) => isDeepStrictEqual(known, value))) continue
    if (leniency === undefined || !isLabel) throw unsupported(name, 'its price is not in the catalog')
    drop(leniency, name)
    edits[name] = undefined
  }
  return { ...edits, ...contextEdits(body, leniency) }
}

/** Edits of the context that only remove from it. Others make the model write, and the usage of the answer lacks that. */
const freeEdits = /^clear_[a-z_]+_\d{8}$/

function contextEdits({ context_management: management }: Body, leniency: Leniency | undefined): JsonEdits {
  const given = asObject(management)
  const edits = asList(given?.edits)
  const free = edits.filter((edit) => freeEdits.test(String(asObject(edit)?.type)))
  if (given === null || free.length === edits.length) return {}
  if (leniency === undefined) throw unsupported('context_management', 'its price is not in the catalog')
  drop(leniency, 'context_management')
  if (free.length === 0) return { context_management: undefined }
  return { context_management: JSON.stringify({ ...given, edits: free }) }
}

function toolEdits(body: Body, { model, leniency }: Fitting): JsonEdits {
  const isHosted = (tool: Fields) => hostedToolOf(model, tool) !== null
  const kept = offeredTools(body, { isKept: (tool) => isClients(tool) || isHosted(tool), leniency })
  const limited = kept.map(({ tool }) => (isHosted(tool) ? withMaxUses(tool) : tool))
  const isWhole = kept.length === asList(body.tools).length
  if (isWhole && kept.every(({ tool }, index) => tool === limited[index])) return {}
  if (kept.length === 0) return { tools: undefined, tool_choice: undefined }
  // Tools that only a search would have found, or only code would have called, are given to the model at once.
  return { tools: JSON.stringify(isWhole ? limited : limited.map(calledDirectly)) }
}

/**
 * The messages without files for code that Anthropic runs, since that code is left out, and without tools that would
 * come into the conversation later and that Anthropic would run: no calls of them are held for.
 */
function changeEdits({ messages }: Body, { leniency }: Fitting): JsonEdits {
  const given = asList(messages)
  const kept = given.flatMap((message, index) => withoutHostedBlocks(message, `messages.${index}`, leniency))
  if (kept.length === given.length && kept.every((message, index) => message === given[index])) return {}
  return { messages: JSON.stringify(kept) }
}

function withoutHostedBlocks(value: unknown, path: string, leniency: Leniency | undefined): readonly unknown[] {
  const message = asObject(value)
  const blocks = asList(message?.content)
  const kept = blocks.filter((value, index) => {
    const block = asObject(value) ?? {}
    const inside = block.type === 'compaction' ? asList(block.tool_changes) : [block]
    if (inside.every((change) => isClientsChange(asObject(change) ?? {}))) return true
    if (leniency === undefined) throw unsupported(`${path}.content.${index}`, 'its price is not in the catalog')
    drop(leniency, `content.${block.type}`)
    return false
  })
  if (message === null || kept.length === blocks.length) return [value]
  return kept.length === 0 ? [] : [{ ...message, content: kept }]
}

/** True for any other block than those, and for a change that names a tool of the request or brings one that the client runs. */
function isClientsChange(block: Fields): boolean {
  if (!isToolChange(block)) return block.type !== 'container_upload'
  const definition = addedDefinition(block)
  return definition === null ? asObject(block.tool)?.type === 'tool_reference' : isClients(definition)
}

function isClients({ type }: Fields): boolean {
  return typeof (type ?? 'custom') !== 'string' || clientTools.test(String(type ?? 'custom'))
}

function calledDirectly({ defer_loading, allowed_callers, ...tool }: Fields): Fields {
  return tool
}

/** Caches with a lifetime of an hour cost more than others. They are passed on to models for which that has a price. */
function cacheEdits(body: Body, { model, leniency }: Fitting): JsonEdits {
  if (model.rates.cacheWriteLong !== null) return {}
  const path = longCachePath(body)
  if (path === null) return {}
  if (leniency === undefined) throw unsupported(path, 'only caches of 5m have a price in the catalog')
  drop(leniency, 'cache_control.ttl')
  const edited = ['cache_control', 'system', 'messages', 'tools'].filter((name) => body[name] !== undefined)
  const changed = asObject(withoutLongCaches(body)) ?? {}
  return Object.fromEntries(edited.map((name) => [name, JSON.stringify(changed[name])]))
}
