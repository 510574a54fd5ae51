/** A refusal in OpenAI's envelope. */
export class WireError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | null

  constructor(
    status: number,
    message: string,
    details: { type?: string; code?: string | null; param?: string | null } = {},
  ) {
    super(message)
    this.status = status
    this.type = details.type ?? 'invalid_request_error'
    this.code = details.code ?? null
    this.param = details.param ?? null
  }
}

/** The envelope as JSON text. */
export function errorEnvelope(error: WireError): string {
  return JSON.stringify({
    error: { message: error.message, type: error.type, param: error.param, code: error.code },
  })
}

const known: Record<number, readonly [message: string, type: string, code: string | null]> = {
  400: ['The request was refused by the simulated provider.', 'invalid_request_error', null],
  401: ['Incorrect API key provided.', 'invalid_request_error', 'invalid_api_key'],
  403: ['Country, region, or territory not supported.', 'request_forbidden', 'unsupported_country_region_territory'],
  404: ['The model does not exist or you do not have access to it.', 'invalid_request_error', 'model_not_found'],
  429: ['Rate limit reached for requests. Please try again in 1s.', 'requests', 'rate_limit_exceeded'],
  500: ['The server had an error while processing your request. Sorry about that!', 'server_error', null],
  503: ['The engine is currently overloaded, please try again later.', 'server_error', null],
}

/** The refusal of a model named `sim/fail-<status>`. */
export function failureOf(status: number): WireError {
  const fallback = [
    `Simulated failure ${status}.`,
    status < 500 ? 'invalid_request_error' : 'server_error',
    null,
  ] as const
  const [message, type, code] = known[status] ?? fallback
  return new WireError(status, message, { type, code })
}
