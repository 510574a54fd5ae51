import { joinPath, type Renames, renamePath, tracePath } from '../../origins.ts'
import type { ChatRewrite } from '../../over-chat.ts'
import type { ProviderRequest } from '../../provider.ts'
import { asList } from '../fields.ts'
import { logprobsIncluded } from '../unsupported-parameter.ts'

/** What a field of a translated body is called in the Responses body that it was made of. */
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

/** Of messages, their parts and calls, and of tools. */
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
