import {
  type CapturedExchange,
  type CaptureParts,
  captureStream,
  readCaptured,
  splitCaptures,
  unsealedCaptureStream,
} from '@ratchet/contracts/captured-exchange'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'

/** An entry of a stream, with the exchanges that inference sent together. */
export interface StreamEntry {
  /** The stream's key. */
  readonly stream: string
  readonly id: string
  readonly items: readonly StreamItem[]
}

/** One exchange of an entry. */
export interface StreamItem {
  /** The stream, the id of the entry, and the place in it. */
  readonly id: string
  /** Null when inference cannot have written it. */
  readonly captured: CapturedExchange | null
  /**
   * Ids, times and sizes, for an operator. No text of a client, such as a tag: an exchange that was never redacted must
   * not be stored longer.
   */
  summary(): readonly string[]
}

export interface RawEntry {
  readonly stream: string
  readonly id: string
  readonly fields: readonly Buffer[]
}

/** Reads an entry. What cannot be read is one item without an exchange. */
export function readEntry({ stream, id, fields }: RawEntry, seal: Pick<ByteSeal, 'open'>): StreamEntry {
  const itemId = (place: number) => `${stream} ${id}/${place}`
  try {
    const parts = partsOf({ stream, fields }, seal)
    return { stream, id, items: parts.map((each, place) => itemOf(itemId(place), each)) }
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof SecretUnreadable)) throw error
    const reason = error instanceof SecretUnreadable ? error.reason : 'unreadable'
    const summary = () => [reason, `${fields.map(({ length }) => length).join(', ')} bytes`]
    return { stream, id, items: [{ id: itemId(0), captured: null, summary }] }
  }
}

/**
 * @throws RangeError when inference cannot have written the fields
 * @throws SecretUnreadable when they were not sealed with a key of this process, or were changed
 */
function partsOf({ stream, fields }: Omit<RawEntry, 'id'>, seal: Pick<ByteSeal, 'open'>): readonly CaptureParts[] {
  const valueNamed = (name: string) => {
    const at = fields.findIndex((field, index) => index % 2 === 0 && field.toString() === name)
    return at === -1 ? undefined : fields[at + 1]
  }
  const sealed = valueNamed(captureStream.field)
  if (sealed !== undefined) return splitCaptures(seal.open(sealed, stream))
  const captures = valueNamed(unsealedCaptureStream.field)
  if (captures !== undefined) return splitCaptures(captures)
  // An earlier release wrote each exchange as an entry; both releases run while one replaces the other.
  const [meta, request, reply] = ['meta', 'request', 'reply'].map(valueNamed)
  if (meta === undefined || request === undefined || reply === undefined) throw new RangeError('a field is missing')
  return [{ meta, request, reply }]
}

function itemOf(id: string, parts: CaptureParts): StreamItem {
  const captured = readOrNull(parts)
  const sizes = ['request', `${parts.request.length} bytes`, 'reply', `${parts.reply.length} bytes`]
  return { id, captured, summary: () => [...factsOf(captured), ...sizes] }
}

function factsOf(captured: CapturedExchange | null): readonly string[] {
  if (captured === null) return ['facts', 'invalid']
  const { requestId, workspaceId, keyId, createdAt, servedModel, provider } = captured.meta
  const ids = ['request_id', requestId, 'workspace_id', workspaceId, 'key_id', keyId ?? '']
  return [...ids, 'created_at', createdAt, 'served_model', servedModel, 'provider', provider]
}

function readOrNull(parts: CaptureParts): CapturedExchange | null {
  try {
    return readCaptured(parts)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
