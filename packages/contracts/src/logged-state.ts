/**
 * Why an exchange is not in the log, as the header of the answer says it after `off; `:
 *
 * - `logging_disabled`: the workspace logs nothing.
 * - `requested`: the request's own header turned it off.
 * - `earlier_turn`: it continues a response whose own request turned it off, so its prompt contains that one.
 * - `responses_disabled`: the workspace logs chat completions and messages, but not the Responses API.
 * - `endpoint`: what this endpoint answers is never logged.
 * - `too_large`: messages, tools and answer have more than 512 KB.
 * - `replay`: the answer to an earlier request with the same idempotency key; that one was logged.
 * - `error`: there is no complete answer.
 */
export const unloggedReasons = [
  'logging_disabled',
  'requested',
  'earlier_turn',
  'responses_disabled',
  'endpoint',
  'too_large',
  'replay',
  'error',
] as const
export type UnloggedReason = (typeof unloggedReasons)[number]

/** The value of the header; `on` when the exchange is logged once its answer is complete. */
export function loggedHeader(reason: UnloggedReason | null): string {
  return reason === null ? 'on' : `off; ${reason}`
}
