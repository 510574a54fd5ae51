import { z } from 'zod'

/**
 * Why a request did not end in a whole answer, with what to do about it. Each such request has exactly one cause, so the
 * numbers of a period add up to the same total however they are grouped.
 */
export const failureCauses = {
  no_credit: 'The wallet does not cover the maximum cost. Top up, or lower max_tokens.',
  spend_cap: 'A budget, or the spend cap of the caller, is used up. Raise it, or wait for its next window.',
  model_unknown: 'No model or alias has this name. Correct the name.',
  provider_not_configured: 'The provider has no key, or refuses it. Check the provider key.',
  invalid_request: 'The request is malformed. Correct the field that the message names.',
  context_too_long: 'The prompt is too long for the model. Shorten it, or use a model with a larger context.',
  too_large: 'The body is larger than the endpoint allows.',
  key_rate_limit: 'The key sends more than its limit per minute. Slow down, or raise the limit of the key.',
  workspace_rate_limit: 'The workspace sends more than its limit per minute. Slow down, or raise the limit.',
  abuse_guard: 'Too many calls within a minute that create something paid for. Slow down.',
  not_permitted:
    'The role of the caller, or the models of the key, do not allow it. Use a key of an owner or admin, or another key.',
  provider_rate_limited: 'The provider limits our requests. Add a fallback model, or a provider key of your own.',
  provider_refused: 'The provider refuses the request. Its message says why.',
  provider_down: 'The provider could not be reached, or failed. Add a fallback model.',
  provider_timeout: 'The provider took too long. Add a fallback model, or ask for less.',
  provider_cut: 'The provider broke off its answer. Its tokens were not charged; retry.',
  client_left: 'The client disconnected before the answer was complete.',
  ours: 'The gateway failed or was overloaded. Retry; tell the operator if it persists.',
} as const

export type FailureCause = keyof typeof failureCauses

export const failureCauseNames = Object.keys(failureCauses) as readonly FailureCause[]

export const FailureCause = z.enum(failureCauseNames)

/** How a request ended: with an answer of a model, with a stored one, or without a whole one. */
export type RequestOutcome = 'answered' | 'cached' | FailureCause
