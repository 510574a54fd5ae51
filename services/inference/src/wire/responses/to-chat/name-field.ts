import { asList } from '@ratchet/service-kit/values/json'
import { joinPath, type Renames, renamePath, tracePath } from '../../origins.ts'
import type { ProviderRequest } from '../../provider.ts'
import type { ChatRewrite } from '../../translate-via-chat.ts'
import { logprobsIncluded } from '../unsupported-parameter.ts'

/** The path in a Responses body of a field in its translation. */
export function nameField(
  param: string,
  rewrite: ChatRewrite & { readonly ok: true },
  { body }: ProviderRequest,
): string {
  const traced = tracePath(param, rewrite.body, rewrite.origins)
  if (traced === null) {
    const isIncluded = asList(body.include).includes(logprobsIncluded)
    return param === 'logprobs' && isIncluded ? 'include' : renamePath(param, bodyRenames)
  }
  const { origin, rest } = traced
  if (origin === 'input' || origin === 'instructions') return origin
  return joinPath(origin, renamePath(rest, isOutput(param, rewrite.body) ? outputRenames : memberRenames))
}

function isOutput(param: string, { messages }: { readonly messages?: unknown }): boolean {
  const [list, index] = param.split('.')
  const message = list === 'messages' ? asList(messages)[Number(index)] : null
  return typeof message === 'object' && message !== null && 'tool_call_id' in message
}

const bodyRenames: Renames = [
  ['reasoning_effort', 'reasoning.effort'],
  ['response_format.json_schema', 'text.format'],
  ['response_format', 'text.format'],
  ['verbosity', 'text.verbosity'],
  ['max_tokens', 'max_output_tokens'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['logprobs', 'top_logprobs'],
  ['tool_choice.function', 'tool_choice'],
]

/** Renames inside messages, their parts and calls, and tools. */
const memberRenames: Renames = [
  ['image_url.url', 'image_url'],
  ['image_url.detail', 'detail'],
  ['file', ''],
  ['function', ''],
]

const outputRenames: Renames = [
  ['content', 'output'],
  ['tool_call_id', 'call_id'],
]
