import { z } from 'zod'

/** Every error the fleet can put on the wire. Adding one is a contract change. */
export const errorCatalog = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  unknown_parameter: { status: 400, type: 'invalid_request_error' },
  unsupported_parameter: { status: 400, type: 'invalid_request_error' },
  /** A tool that the provider would run itself, which nothing here does. */
  unsupported_tool: { status: 400, type: 'invalid_request_error' },
  /** The provider says that the prompt does not fit its model. */
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  /** A field that is fixed once the thing exists. */
  immutable_parameter: { status: 400, type: 'invalid_request_error' },
  /** A gate that is asked nothing. */
  no_checks: { status: 400, type: 'invalid_request_error' },
  /** Whole runs are graded in the dashboard alone. */
  unsupported_unit: { status: 400, type: 'invalid_request_error' },
  /** An alias names a model that the catalog does not have. */
  unknown_model: { status: 400, type: 'invalid_request_error' },
  /** An alias names a dedicated endpoint. */
  alias_target_dedicated: { status: 400, type: 'invalid_request_error' },
  /** An alias has a name that the catalog answers to. */
  alias_shadows_model: { status: 400, type: 'invalid_request_error' },
  unknown_provider: { status: 400, type: 'invalid_request_error' },
  /** The chain of stored responses that a request goes on from is not whole. */
  previous_response_not_found: { status: 400, type: 'invalid_request_error' },
  invalid_api_key: { status: 401, type: 'invalid_request_error' },
  insufficient_balance: { status: 402, type: 'insufficient_quota' },
  /** The spend cap that the caller set does not cover the call; the wallet may. */
  spend_cap_reached: { status: 402, type: 'insufficient_quota' },
  insufficient_permissions: { status: 403, type: 'invalid_request_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  unknown_url: { status: 404, type: 'invalid_request_error' },
  model_not_found: { status: 404, type: 'invalid_request_error' },
  dedicated_endpoint_not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_timeout: { status: 408, type: 'api_error' },
  /** The workspace does not log. */
  logging_disabled: { status: 409, type: 'invalid_request_error' },
  /** A job still reads the dataset. */
  dataset_in_use: { status: 409, type: 'invalid_request_error' },
  /** A gate or a training run relies on the judge. */
  criterion_in_use: { status: 409, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  /** The idempotency key was used before with another request. */
  idempotency_conflict: { status: 409, type: 'invalid_request_error' },
  /** Not proven yet. */
  precondition_failed: { status: 412, type: 'invalid_request_error' },
  /** It was changed since the version that `If-Match` names. */
  version_conflict: { status: 412, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  abuse_guard: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  /** The wire carries `code: null` for this one. */
  upstream_error: { status: 502, type: 'upstream_error' },
  service_unavailable: { status: 503, type: 'api_error' },
} as const

export type ErrorCode = keyof typeof errorCatalog

/** OpenAI-compatible, so existing SDKs surface `code`, `type` and `param` unchanged. */
export const ErrorEnvelope = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    code: z.string().nullable(),
    param: z.string().nullable(),
    request_id: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
})
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>

/** What a code looks like on the wire: itself, or null where the specification names none. */
export function wireCode(code: ErrorCode): string | null {
  return code === 'upstream_error' ? null : code
}
