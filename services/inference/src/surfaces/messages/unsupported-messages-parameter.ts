import type { CatalogModel } from '../../catalog/catalog.ts'
import { asObject } from '../../wire/chat/chat-chunk.ts'
import type { Body } from '../../wire/dialect.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'

/**
 * A parameter that the model is marked not to honour, by its path in a Messages body, or null. The catalog spells
 * parameters as chat completions do.
 */
export function unsupportedMessagesParameter(model: CatalogModel, body: Body): string | null {
  const { max_tokens, stop_sequences, output_config, metadata, thinking, ...same } = body
  const { effort, format } = asObject(output_config) ?? {}
  const thinks = asObject(thinking)
  const byThinking = thinks !== null && thinks.type !== 'disabled'
  const isSerial = asObject(body.tool_choice)?.disable_parallel_tool_use === true
  const tier = same.service_tier === 'standard_only' ? 'default' : same.service_tier
  const renamed: Readonly<Record<string, Asked>> = {
    stop: { path: 'stop_sequences', value: isEmptyList(stop_sequences) ? null : stop_sequences },
    reasoning_effort: byThinking
      ? { path: 'thinking', value: thinks }
      : { path: 'output_config.effort', value: effort },
    response_format: { path: 'output_config.format', value: format },
    parallel_tool_calls: { path: 'tool_choice.disable_parallel_tool_use', value: isSerial ? false : null },
    user: { path: 'metadata.user_id', value: asObject(metadata)?.user_id },
    service_tier: { path: 'service_tier', value: tier },
  }
  const asked = Object.fromEntries(Object.entries(renamed).map(([name, { value }]) => [name, value]))
  const name = unsupportedParameter(model, { ...same, ...asked })
  return name === null || !Object.hasOwn(renamed, name) ? name : (renamed[name]?.path ?? name)
}

interface Asked {
  readonly path: string
  /** Undefined or null: nothing is asked for. */
  readonly value: unknown
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
