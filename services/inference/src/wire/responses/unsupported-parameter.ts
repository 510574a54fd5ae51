import { asList, asObject } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'
import type { Body } from '../dialect.ts'
import { unsupportedParameter } from '../unsupported-parameter.ts'
import { outputLimitName } from './output-limit.ts'

export const logprobsIncluded = 'message.output_text.logprobs'

/**
 * The path in a Responses body of a parameter that the catalog marks as unsupported, or null. The catalog names
 * parameters as chat completions do.
 */
export function unsupportedResponsesParameter(model: CatalogModel, body: Body): string | null {
  const name = unsupportedParameter(model, inChatNames(model, body))
  if (name === null) return null
  if (name === 'logprobs') return asksForLogprobs(body) ? 'include' : 'top_logprobs'
  return paths.get(name) ?? name
}

const paths: ReadonlyMap<string, string> = new Map([
  ['response_format', 'text.format'],
  ['verbosity', 'text.verbosity'],
  ['reasoning_effort', 'reasoning.effort'],
  ['max_tokens', 'max_output_tokens'],
  ['max_completion_tokens', 'max_output_tokens'],
])

function inChatNames(model: CatalogModel, body: Body): Body {
  const { text, reasoning, max_output_tokens, top_logprobs } = body
  return {
    ...body,
    response_format: asObject(text)?.format,
    verbosity: asObject(text)?.verbosity,
    reasoning_effort: asObject(reasoning)?.effort,
    // The members with these names in the body itself have no meaning in Responses.
    max_tokens: undefined,
    max_completion_tokens: undefined,
    [outputLimitName(model)]: max_output_tokens,
    logprobs: asksForLogprobs(body) || (typeof top_logprobs === 'number' && top_logprobs > 0),
  }
}

function asksForLogprobs({ include }: Body): boolean {
  return asList(include).includes(logprobsIncluded)
}
