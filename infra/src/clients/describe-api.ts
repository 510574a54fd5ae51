import { endpointsOf, type OpenApi } from '../site/openapi.ts'

/** Facts about the API that generators of clients do not write. */
export interface ApiFacts {
  readonly errorCodes: readonly string[]
  /** `POST /v1/evals`: operations that take an `Idempotency-Key`. */
  readonly idempotentOperations: readonly string[]
}

export function describeApi(document: OpenApi): ApiFacts {
  const endpoints = endpointsOf(document)
  const codes = endpoints.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ description }) => codesOf(description)),
  )
  const idempotent = endpoints.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
  )
  return {
    errorCodes: [...new Set(codes)].sort(),
    idempotentOperations: idempotent.map(({ method, path }) => `${method} ${path}`).sort(),
  }
}

/** A response lists its codes: `Codes: not_found, unknown_url.` */
function codesOf(description: string): readonly string[] {
  return /^Codes: ([\w, ]+)\./.exec(description)?.[1]?.split(', ') ?? []
}
