import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { OPEN_BRACKET, QUOTE, skipSpace, trimSpace } from '@ratchet/service-kit/json/json-text'
import { requestLimits } from '@ratchet/service-kit/json/request-limits'
import { type JsonScan, scanJson } from '@ratchet/service-kit/json/scan-json'
import { asObject, asText, parseJson } from '@ratchet/service-kit/values/json'
import type { UnstoredResponse } from './unstored-responses.ts'

/** One `response.create` of a client. Its body was not parsed: inference refuses what is wrong in it. */
export interface Turn {
  /** The lane it belongs to; null for the one without a name. */
  readonly streamId: string | null
  /** The response that it continues; null when it continues none. */
  readonly previousId: string | null
  /** The trace that it names in its metadata, as Codex does; null without one. */
  readonly traceparent: string | null
  readonly bytes: Buffer
  readonly scan: JsonScan
}

/** An attempt to change a running response, which no model behind the gateway supports. */
export interface Steering {
  readonly previousId: string | null
  /** Its `input` as JSON; null when it is too large to be sent back. */
  readonly input: string | null
}

export type ClientEvent =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'steering'; readonly steering: Steering }

const streamIdForm = /^[\x20-\x7e]{1,128}$/
/** Larger metadata names no trace. */
const maxMetadataBytes = 65_536
/** Larger values of a client's message are not sent back. */
const maxEchoBytes = 16_384
const maxIdCharacters = 256

/** @throws ServiceError `invalid_request` for a message that is no event of a client */
export function readClientEvent(message: Buffer): ClientEvent {
  const scan = scanJson(message, requestLimits)
  if (!scan.ok) throw invalid('event', `must be a JSON object (${scan.reason.replaceAll('_', ' ')})`)
  const type = textAt(message, scan, 'type')
  const previousId = textAt(message, scan, 'previous_response_id')
  if (type === 'response.steer') {
    const input = rawAt(message, scan, 'input') ?? Buffer.from('null')
    const isLong = previousId !== null && previousId.length > maxIdCharacters
    return {
      kind: 'steering',
      steering: {
        previousId: isLong ? null : previousId,
        input: input.length > maxEchoBytes ? null : input.toString(),
      },
    }
  }
  if (type !== 'response.create') throw invalid('type', 'must be response.create')
  const streamId = scan.topLevel.has('stream_id') ? textAt(message, scan, 'stream_id') : null
  if (scan.topLevel.has('stream_id') && (streamId === null || !streamIdForm.test(streamId))) {
    throw invalid('stream_id', 'must be 1 to 128 printable ASCII characters')
  }
  return {
    kind: 'turn',
    turn: { streamId, previousId, traceparent: tracedBy(message, scan), bytes: message, scan },
  }
}

/**
 * The body of the request to inference. Members that exist only here are removed; an earlier response that nobody stored is
 * replaced by its items. All other bytes are the client's.
 *
 * @param items from `turnItems`
 */
export function turnBody({ bytes, scan }: Turn, earlier: UnstoredResponse | null, items: Buffer): Buffer {
  const asStream = { type: undefined, stream_id: undefined, stream: 'true' }
  if (earlier === null) return editTopLevel(bytes, scan, asStream)
  return editTopLevel(bytes, scan, {
    ...asStream,
    previous_response_id: earlier.storedId === null ? undefined : JSON.stringify(earlier.storedId),
    input: Buffer.concat([Buffer.from('['), items, Buffer.from(']')]),
  })
}

/** All that the model reads besides instructions, as far as nobody stored it: items as JSON, joined by commas. */
export function turnItems({ bytes, scan }: Turn, earlier: UnstoredResponse | null): Buffer {
  return joinedItems([earlier?.items ?? null, itemsOf(rawAt(bytes, scan, 'input'))])
}

/** Items of several lists, joined by commas, in memory of their own. */
export function joinedItems(lists: readonly (Buffer | null)[]): Buffer {
  const filled = lists.filter((list) => list !== null && list.length > 0) as readonly Buffer[]
  return Buffer.concat(filled.flatMap((list, index) => (index === 0 ? [list] : [comma, list])))
}

const comma = Buffer.from(',')

/** What is between the brackets of an array; a text as one item; null for anything else. */
export function itemsOf(value: Buffer | null): Buffer | null {
  if (value === null) return null
  if (value[0] === OPEN_BRACKET) return value.subarray(skipSpace(value, 1), trimSpace(value, 1, value.length - 1))
  return value[0] === QUOTE
    ? Buffer.concat([Buffer.from('{"type":"message","role":"user","content":'), value, Buffer.from('}')])
    : null
}

/** The JSON of a top-level member; null without one. */
export function rawAt(bytes: Buffer, { topLevel }: JsonScan, name: string): Buffer | null {
  const span = topLevel.get(name)
  return span === undefined ? null : bytes.subarray(span.start, span.end)
}

/** A top-level member that is a text; null for any other value. */
export function textAt(bytes: Buffer, scan: JsonScan, name: string): string | null {
  const raw = rawAt(bytes, scan, name)
  return raw === null || raw[0] !== QUOTE ? null : asText(parseJson(raw.toString()))
}

function tracedBy(bytes: Buffer, scan: JsonScan): string | null {
  const raw = rawAt(bytes, scan, 'client_metadata')
  if (raw === null || raw.length > maxMetadataBytes) return null
  const named = asText(asObject(parseJson(raw.toString()))?.ws_request_header_traceparent)
  return named !== null && /^[\x21-\x7e]{1,256}$/.test(named) ? named : null
}

function invalid(param: string, demand: string): ServiceError {
  return new ServiceError('invalid_request', `${param} ${demand}.`, { param })
}
