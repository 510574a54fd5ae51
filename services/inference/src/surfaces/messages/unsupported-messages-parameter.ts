import { asObject } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../../wire/dialect.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'

/**
 * The path of a parameter that the catalog marks as unsupported, or null. The catalog names parameters as chat
 * completions do; the path is that of a Messages body.
 */
export function unsupportedMessagesParameter(model: CatalogModel, body: Body): string | null {
  const { max_tokens, stop_sequences, output_config, metadata, thinking, ...same } = body
  const { effort, format } = asObject(output_config) ?? {}
  const thinks = asObject(thinking)
  const byThinking = thinks !== null && thinks.type !== 'disabled'
  const isSerial = asObject(body.tool_choice)?.disable_parallel_tool_use === true
  const tier = same.service_tier === 'standard_only' ? 'default' : same.service_tier
  const renamed: Readonly<Record<string, RenamedParameter>> = {
    stop: { path: 'stop_sequences', value: isEmptyList(stop_sequences) ? null : stop_sequences },
    reasoning_effort: byThinking
      ? { path: 'thinking', value: thinks }
      : { path: 'output_config.effort', value: effort },
    response_format: { path: 'output_config.format', value: format },
    parallel_tool_calls: { path: 'tool_choice.disable_parallel_tool_use', value: isSerial ? false : null },
    user: { path: 'metadata.user_id', value: asObject(metadata)?.user_id },
    service_tier: { path: 'service_tier', value: tier },
  }
  const values = Object.fromEntries(Object.entries(renamed).map(([name, { value }]) => [name, value]))
  const name = unsupportedParameter(model, { ...same, ...values })
  return name === null || !Object.hasOwn(renamed, name) ? name : (renamed[name]?.path ?? name)
}

interface RenamedParameter {
  readonly path: string
  /** Undefined or null when the parameter is absent. */
  readonly value: unknown
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
