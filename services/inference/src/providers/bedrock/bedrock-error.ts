import type { IncomingHttpHeaders } from 'node:http'
import type { Fields } from '@ratchet/service-kit/values/json'
import { parseChunk } from '../../wire/chat/chat-chunk.ts'
import type { ProviderFailure } from '../../wire/provider.ts'
import { failureOfStatus } from '../provider-error.ts'

const maxMessageLength = 1_000

/** The exceptions of each kind, in lower case, because in a stream they begin with a small letter. */
const kinds: ReadonlyMap<string, ProviderFailure['kind']> = new Map(
  Object.entries({
    throttled: ['ThrottlingException', 'TooManyRequestsException', 'ServiceQuotaExceededException'],
    unavailable: [
      'ModelNotReadyException',
      'ServiceUnavailableException',
      'InternalServerException',
      'InternalFailure',
      'ModelErrorException',
      'ModelStreamErrorException',
      'ModelTimeoutException',
    ],
    refused: ['ValidationException', 'ValidationError', 'SerializationException'],
    misconfigured: [
      'AccessDeniedException',
      'UnrecognizedClientException',
      'InvalidClientTokenId',
      'ExpiredTokenException',
      'ExpiredToken',
      'InvalidSignatureException',
      'SignatureDoesNotMatch',
      'IncompleteSignature',
      'IncompleteSignatureException',
      'MissingAuthenticationToken',
      'MissingAuthenticationTokenException',
      'NotAuthorized',
      'OptInRequired',
      'FTUFormNotFilled',
      'ResourceNotFoundException',
      'UnknownOperationException',
    ],
  } satisfies Partial<Record<ProviderFailure['kind'], string[]>>).flatMap(([kind, names]) =>
    names.map((name) => [name.toLowerCase(), kind as ProviderFailure['kind']] as const),
  ),
)

const words: Partial<Record<ProviderFailure['kind'], string>> = {
  throttled: 'The provider is limiting our requests.',
  misconfigured: 'The provider does not accept our credentials or our name for the model.',
}

/** The failure for an error answer of Bedrock, by the name of its exception or else by its status. */
export function bedrockFailure(status: number, headers: IncomingHttpHeaders, body: Buffer): ProviderFailure {
  const fields = parseChunk(body.toString())
  const byStatus = failureOfStatus(status, headers, body)
  const name = exceptionName(headers['x-amzn-errortype']) ?? exceptionName(fields?.__type)
  if (name !== null && kinds.has(name.toLowerCase())) {
    return { ...exceptionFailure(name, fields), retryAfterMs: byStatus.retryAfterMs, status }
  }
  if (byStatus.kind !== 'refused') return byStatus
  return { ...byStatus, message: messageOf(fields) ?? byStatus.message }
}

/** How the model families on Bedrock report that a prompt is too long. */
const tooLong =
  /input is too long|prompt is too long|too many input tokens|exceeds? (the )?(context|maximum) (limit|length|context length)|maximum context length/i

/** The failure for an exception, in an error answer or inside a stream. */
export function exceptionFailure(name: string, fields: Fields | null): ProviderFailure {
  const said = messageOf(fields)
  const kind = kinds.get(name.toLowerCase()) ?? 'unavailable'
  // A model name that Bedrock does not know is a fault of the catalog, not of the request.
  if (kind === 'refused' && said !== null && /model identifier|on-demand throughput/i.test(said)) {
    return { kind: 'misconfigured', message: 'The provider does not know our name for the model.', retryAfterMs: null }
  }
  if (kind === 'refused') {
    const isTooLong = said !== null && tooLong.test(said)
    return {
      kind,
      message: said ?? 'The provider refused the request.',
      ...(isTooLong ? { param: 'messages', code: 'context_length_exceeded' } : {}),
      retryAfterMs: null,
    }
  }
  return { kind, message: words[kind] ?? 'The provider failed.', retryAfterMs: null }
}

/** Both `Name:http://…` and `namespace#Name` occur. */
function exceptionName(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const name = value.split(':', 1)[0]?.split('#').at(-1)?.trim() ?? ''
  return name === '' ? null : name
}

function messageOf(fields: Fields | null): string | null {
  const said = fields?.message ?? fields?.Message
  return typeof said === 'string' && said !== '' ? said.slice(0, maxMessageLength) : null
}
