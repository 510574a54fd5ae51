import { errorCatalog } from '@ratchet/contracts/errors'
import { editMember, editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { OPEN_BRACE } from '@ratchet/service-kit/json/json-text'
import { type JsonScan, scanJson } from '@ratchet/service-kit/json/scan-json'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { asObject, asText, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import { itemsOf, joinedItems, rawAt, type Turn, textAt } from './read-turn.ts'
import type { UnstoredResponse } from './unstored-responses.ts'

export interface MessagesOptions {
  readonly turn: Pick<Turn, 'streamId' | 'previousId'>
  /** What the turn continues and nobody stored. */
  readonly earlier: Pick<UnstoredResponse, 'storedId'> | null
  /** From `turnItems`; null when there is no memory to keep them. Given up when the response is stored. */
  readonly items: Buffer | null
  /** The items are no longer kept. */
  onItemsLeft(): void
}

/** How the response of a turn ended. */
export interface TurnEnd {
  /** Null when it was stored, or when there is none. */
  readonly unstored: UnstoredResponse | null
  readonly failed: boolean
  /** True when an event said that it failed, so that the client need not learn it from the connection. */
  readonly saidSo: boolean
}

/** Turns the answer of one turn into messages: each event of a stream is one. */
export interface EventMessages {
  /** @param headers of the answer; the first event has them, because a WebSocket has no head for each response */
  ofEvent(event: SseEvent, headers: Fields): Buffer | null
  /** The message for an answer that is an error. */
  ofError(status: number, body: Buffer, headers: Fields): Buffer
  readonly end: TurnEnd
}

/** Our own service wrote the events, or let those of a provider pass that it could read. */
const noLimits = { maxDepth: Number.POSITIVE_INFINITY, maxKeys: Number.POSITIVE_INFINITY }
const withResponse = /^response\.(?:created|queued|in_progress|completed|incomplete|failed)$/
const final = /^response\.(?:completed|incomplete)$/

export function createEventMessages({ turn, earlier, items, onItemsLeft }: MessagesOptions): EventMessages {
  let kept = items
  const lane = turn.streamId === null ? {} : { stream_id: turn.streamId }
  let isFirst = true
  let end: TurnEnd = { unstored: null, failed: true, saidSo: false }
  return {
    get end() {
      return end
    },
    ofEvent({ data, event }, headers) {
      if (data === null || data[0] !== OPEN_BRACE) return null
      const named = event ?? typeIn(data)
      const added = isFirst ? { ...lane, headers } : lane
      isFirst = false
      if (named === 'error') {
        end = { unstored: null, failed: true, saidSo: true }
        return Buffer.from(JSON.stringify({ ...lane, ...erroneous(data), headers }))
      }
      if (!withResponse.test(named)) return withMembers(data, added)
      const scan = scanJson(data, noLimits)
      if (!scan.ok) return withMembers(data, added)
      const response = responseIn(data, scan)
      if (kept !== null && response?.store === 'true') {
        kept = null
        onItemsLeft()
      }
      if (final.test(named)) {
        const storedId = earlier === null ? turn.previousId : earlier.storedId
        end = { unstored: unstoredIn(response, storedId, kept), failed: false, saidSo: false }
      }
      return withMembers(earlier === null ? data : continuing(data, scan, turn.previousId), added)
    },
    ofError(status, body, headers) {
      const error = asObject(asObject(parseJson(body.toString()))?.error) ?? {
        message: 'The request failed.',
        type: 'api_error',
      }
      return Buffer.from(JSON.stringify({ type: 'error', ...lane, status, error, headers }))
    },
  }
}

function typeIn(data: Buffer): string {
  const scan = scanJson(data, noLimits)
  return scan.ok ? (textAt(data, scan, 'type') ?? '') : ''
}

/** Puts members in front of those of a JSON object, whose other bytes remain. */
function withMembers(object: Buffer, members: Fields): Buffer {
  const text = JSON.stringify(members).slice(1, -1)
  if (text === '') return Buffer.from(object)
  const isEmpty = object.subarray(1).toString('latin1', 0, 64).trimStart().startsWith('}')
  return Buffer.concat([Buffer.from(`{${text}${isEmpty ? '' : ','}`), object.subarray(1)])
}

/** The error of a stream that began, with the status that it would have had before. */
function erroneous(data: Buffer): Fields {
  const event = asObject(parseJson(data.toString())) ?? {}
  const { code, type } = asObject(event.error) ?? {}
  const known = errorCatalog[asText(code) as keyof typeof errorCatalog]
  return { ...event, type: 'error', status: known?.status ?? (type === 'upstream_error' ? 502 : 500) }
}

/** The request to inference named no earlier response, but that of the client did. */
function continuing(data: Buffer, scan: JsonScan, previousId: string | null): Buffer {
  const response = editMember(data, scan, 'response', { previous_response_id: JSON.stringify(previousId) })
  return editTopLevel(data, scan, { response })
}

interface ResponseIn {
  readonly id: string
  /** As JSON; null where the event does not say it. */
  readonly store: string | null
  /** As `itemsOf` returns them. */
  readonly output: Buffer | null
}

function responseIn(data: Buffer, scan: JsonScan): ResponseIn | null {
  const response = rawAt(data, scan, 'response')
  const inner = response === null ? null : scanJson(response, noLimits)
  if (response === null || inner === null || !inner.ok) return null
  const id = textAt(response, inner, 'id')
  if (id === null) return null
  const store = rawAt(response, inner, 'store')?.toString() ?? null
  return { id, store, output: itemsOf(rawAt(response, inner, 'output')) }
}

function unstoredIn(
  response: ResponseIn | null,
  storedId: string | null,
  items: Buffer | null,
): UnstoredResponse | null {
  if (response === null || response.store !== 'false' || items === null) return null
  return { id: response.id, storedId, items: joinedItems([items, response.output]) }
}
