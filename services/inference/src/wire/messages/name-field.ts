import { asObject } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'
import { joinPath, type Renames, renamePath, tracePath } from '../origins.ts'
import type { ProviderRequest } from '../provider.ts'
import type { ChatRewrite } from '../translate-via-chat.ts'

/** The path in a Messages body of a field in its translation. */
export function nameField(
  param: string,
  rewrite: ChatRewrite & { readonly ok: true },
  { body }: ProviderRequest,
): string {
  const traced = tracePath(param, rewrite.body, rewrite.origins)
  if (traced === null) return param === 'reasoning_effort' ? effortName(body) : renamePath(param, bodyRenames)
  const { origin, rest } = traced
  return origin === 'system' ? origin : joinPath(origin, renamePath(rest, memberRenames))
}

/** The effort was either set itself, or it follows from the thinking settings. */
function effortName({ thinking, output_config: config }: Body): string {
  const isDisabled = asObject(thinking)?.type === 'disabled'
  return !isDisabled && (asObject(config)?.effort ?? null) !== null ? 'output_config.effort' : 'thinking'
}

const bodyRenames: Renames = [
  ['response_format.json_schema', 'output_config.format'],
  ['response_format', 'output_config.format'],
  ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
  ['stop', 'stop_sequences'],
  ['max_completion_tokens', 'max_tokens'],
  ['user', 'metadata.user_id'],
  ['tool_choice.function', 'tool_choice'],
]

/** Renames inside messages, their blocks and tools. */
const memberRenames: Renames = [
  ['image_url.url', 'source'],
  ['image_url', 'source'],
  ['file.file_data', 'source'],
  ['file', 'source'],
  ['tool_call_id', 'tool_use_id'],
  ['function.arguments', 'input'],
  ['function.parameters', 'input_schema'],
  ['function', ''],
]
