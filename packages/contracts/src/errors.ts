import { z } from 'zod'

/** Every error code of the public API. Adding one changes the contract. */
export const errorCatalog = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  unknown_parameter: { status: 400, type: 'invalid_request_error' },
  unsupported_parameter: { status: 400, type: 'invalid_request_error' },
  /** The request has a tool that a provider would run itself. */
  unsupported_tool: { status: 400, type: 'invalid_request_error' },
  /** The provider reports that the prompt is too long for the model. */
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  /** The field cannot be changed after creation. */
  immutable_parameter: { status: 400, type: 'invalid_request_error' },
  /** The gate of an eval was called without a check. */
  no_checks: { status: 400, type: 'invalid_request_error' },
  /** Whole runs are graded only in the dashboard. */
  unsupported_unit: { status: 400, type: 'invalid_request_error' },
  unsupported_kind: { status: 400, type: 'invalid_request_error' },
  /** An alias names a model that is not in the catalog. */
  unknown_model: { status: 400, type: 'invalid_request_error' },
  /** An alias names a dedicated endpoint. */
  alias_target_dedicated: { status: 400, type: 'invalid_request_error' },
  /** An alias has the name of a catalog model. */
  alias_shadows_model: { status: 400, type: 'invalid_request_error' },
  unknown_provider: { status: 400, type: 'invalid_request_error' },
  /** No trainer offers the model with that method; `details.trainable` lists the models that can be trained. */
  model_not_trainable: { status: 400, type: 'invalid_request_error' },
  /** Too few usable examples, or of another format than the method needs; `details` is the report of the data. */
  invalid_training_data: { status: 400, type: 'invalid_request_error' },
  /** The terms of the model's provider forbid training on its answers, and the caller did not acknowledge them. */
  outputs_not_trainable: { status: 400, type: 'invalid_request_error' },
  /** The model version is adopted, but nothing serves it under a name that aliases can route to. */
  version_not_in_catalog: { status: 400, type: 'invalid_request_error' },
  /** The uploaded files are not an adapter of the base model. */
  incompatible_adapter: { status: 400, type: 'invalid_request_error' },
  /** The chain of stored responses that a request continues is incomplete. */
  previous_response_not_found: { status: 400, type: 'invalid_request_error' },
  /** A WebSocket is open for as long as it may be, or its process stops: open another one. */
  websocket_connection_limit_reached: { status: 400, type: 'invalid_request_error' },
  /** Voice interface: the language is not a language tag, or no voice speaks it. */
  invalid_language: { status: 400, type: 'invalid_request_error' },
  /** Voice interface: no such voice, or it does not speak the agent's language. */
  invalid_voice: { status: 400, type: 'invalid_request_error' },
  invalid_api_key: { status: 401, type: 'invalid_request_error' },
  /** The dashboard: nobody is signed in, or not any more. */
  not_signed_in: { status: 401, type: 'invalid_request_error' },
  /** The dashboard: the same for an unknown address and a wrong password. */
  sign_in_failed: { status: 401, type: 'invalid_request_error' },
  insufficient_balance: { status: 402, type: 'insufficient_quota' },
  /** The spend cap of the caller does not cover the call; the wallet may. */
  spend_cap_reached: { status: 402, type: 'insufficient_quota' },
  /** A budget of the key, the end user, the tag or the workspace does not cover the request; the wallet does. */
  budget_exceeded: { status: 402, type: 'insufficient_quota' },
  /** The workspace stores as many bytes as its quota allows. Retrying does not help. */
  quota_exceeded: { status: 403, type: 'invalid_request_error' },
  /** The API key is for other models. */
  model_not_allowed: { status: 403, type: 'invalid_request_error' },
  insufficient_permissions: { status: 403, type: 'invalid_request_error' },
  /** A person must sign in again before money or rights are changed. */
  fresh_sign_in_required: { status: 403, type: 'invalid_request_error' },
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
  /** A gate or a training run uses the judge. */
  criterion_in_use: { status: 409, type: 'invalid_request_error' },
  /** A training run uses the environment tool. */
  tool_in_use: { status: 409, type: 'invalid_request_error' },
  /** An alias or an unfinished job needs the model version. */
  version_in_use: { status: 409, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  /** The idempotency key was used for a different request. */
  idempotency_conflict: { status: 409, type: 'invalid_request_error' },
  /** A judge is not proven, so that it may reward nothing; `details` says which one and what it needs. */
  criterion_not_trustworthy: { status: 412, type: 'invalid_request_error' },
  /** The evidence is missing. */
  precondition_failed: { status: 412, type: 'invalid_request_error' },
  /** Earlier evals used the prompts so often that a result on them proves nothing. */
  evidence_exhausted: { status: 412, type: 'invalid_request_error' },
  /** The object was changed since the version in `If-Match`. */
  version_conflict: { status: 412, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  /** More lanes, or more requests that wait, than one WebSocket may have; or more WebSockets than a workspace may. */
  websocket_stream_limit_reached: { status: 429, type: 'rate_limit_error' },
  abuse_guard: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  /** The API sends `code: null` for this one. */
  upstream_error: { status: 502, type: 'upstream_error' },
  service_unavailable: { status: 503, type: 'api_error' },
  /** A dedicated endpoint is starting, which takes longer than the client waits. */
  endpoint_starting: { status: 503, type: 'api_error' },
  /** There is no hardware of that kind now, or the dedicated endpoint is stopped. */
  no_capacity: { status: 503, type: 'api_error' },
} as const

export type ErrorCode = keyof typeof errorCatalog

/** OpenAI-compatible, so that existing SDKs read `code`, `type` and `param`. */
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

/** Some wrong bodies of training endpoints. */
export const FlatError = z.object({ error: z.string() })

/** The code as the API sends it: itself, or null when the specification has none. */
export function wireCode(code: ErrorCode): string | null {
  return code === 'upstream_error' ? null : code
}
