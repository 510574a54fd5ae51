import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../dialect.ts'
import { drop, type Leniency } from '../leniency.ts'
import { invalid, unsupported } from '../refusal.ts'

/** The thinking, effort and output format of a Messages request, as parameters of a chat completion. */
export function chatOutput(
  { thinking, output_config: config }: Body,
  { model, leniency }: { readonly model: CatalogModel; readonly leniency: Leniency | undefined },
): Body {
  const { effort, format, ...others } = asObject(config) ?? {}
  for (const [name, value] of Object.entries(others)) {
    if (value === null) continue
    if (leniency === undefined) throw unsupported(`output_config.${name}`)
    drop(leniency, `output_config.${name}`)
  }
  return {
    reasoning_effort: reasoningEffort(asObject(withoutPlace(thinking, leniency)), effort ?? null, model),
    response_format: responseFormat(asObject(format)),
  }
}

/** True when the client does not want to see thinking. */
export function hidesThinking({ thinking }: Body): boolean {
  return asObject(thinking)?.display === 'omitted'
}

/** Where to think is left to the model, as adaptive thinking leaves it how much. */
function withoutPlace(thinking: unknown, leniency: Leniency | undefined): unknown {
  if (leniency === undefined || asObject(thinking)?.type !== 'between_tools') return thinking
  drop(leniency, 'thinking.type:between_tools')
  return { type: 'adaptive' }
}

/**
 * An explicit effort is passed on, and a thinking budget becomes the nearest effort. Adaptive thinking leaves the
 * effort to the model, but Claude requires an explicit effort, so it gets a high one. Disabled thinking is passed on only to models
 * that can think.
 */
function reasoningEffort(thinking: Fields | null, effort: unknown, { capabilities }: CatalogModel): unknown {
  if (thinking?.type === 'disabled') return capabilities.includes('reasoning') ? 'none' : null
  const { type = 'adaptive', budget_tokens: budget } = thinking ?? {}
  if (type !== 'enabled' && type !== 'adaptive') throw unsupported('thinking.type')
  if (effort !== null) return chatEffort(effort)
  if (type === 'adaptive') return thinking !== null && capabilities.includes('adaptive_thinking') ? 'high' : null
  if (typeof budget !== 'number') throw invalid('thinking.budget_tokens', 'must be a number')
  return effortOf(budget)
}

const efforts: ReadonlyMap<unknown, string> = new Map([
  ...['low', 'medium', 'high', 'xhigh'].map((name): [string, string] => [name, name]),
  ['max', 'xhigh'],
])

function chatEffort(effort: unknown): string {
  const known = efforts.get(effort)
  if (known === undefined) throw unsupported('output_config.effort')
  return known
}

/** The budgets between the efforts. Other providers use 1024, 8192 and 24576 tokens for low, medium and high. */
const lowBudgetMax = 4_096
const mediumBudgetMax = 16_384

function effortOf(budgetTokens: number): string {
  if (budgetTokens <= lowBudgetMax) return 'low'
  return budgetTokens <= mediumBudgetMax ? 'medium' : 'high'
}

function responseFormat(format: Fields | null): Body | null {
  if (format === null) return null
  if (format.type !== 'json_schema') throw unsupported('output_config.format.type')
  const schema = asObject(format.schema)
  if (schema === null) throw invalid('output_config.format.schema', 'must be an object')
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict: isClosed(schema) } }
}

/** True when a schema fits strict mode: its objects name all of their members, and require them all. */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed)
  const fields = asObject(schema)
  if (fields === null) return true
  return (fields.type !== 'object' || isClosedObject(fields)) && Object.values(fields).every(isClosed)
}

function isClosedObject({ properties, required, additionalProperties }: Fields): boolean {
  const names = Object.keys(asObject(properties) ?? {})
  const demanded = new Set<unknown>(Array.isArray(required) ? required : [])
  return additionalProperties === false && names.every((name) => demanded.has(name))
}
