import type { IncomingMessage } from 'node:http'
import type { Wire } from '../wire.ts'
import { WireError } from '../wire-error.ts'
import { checkSignature } from './check-signature.ts'

/** Bedrock's API keys, AWS's signatures, and Bedrock's exceptions. */
export const converseWire: Wire = {
  checkRequest(request: IncomingMessage) {
    const authorization = request.headers.authorization ?? ''
    if (/^Bearer \S/.test(authorization)) return
    if (authorization.startsWith('AWS4-HMAC-SHA256 ')) return checkSignature(request, authorization)
    throw new WireError(403, 'Missing Authentication Token', { code: 'MissingAuthenticationTokenException' })
  },
  errorBody: ({ message, param }) => JSON.stringify({ message: param === null ? message : `${param}: ${message}` }),
  errorHeaders(error) {
    const name = exceptionOf(error)
    const type = `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`
    return ['x-amzn-requestid', 'simulated', ...(name === undefined ? [] : ['x-amzn-errortype', type])]
  },
}

const exceptions: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
}

function exceptionOf({ code, status }: WireError): string | undefined {
  return code?.endsWith('Exception') === true ? code : exceptions[status]
}
