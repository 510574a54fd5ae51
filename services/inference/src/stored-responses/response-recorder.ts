import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { editTopLevel, type JsonEdits } from '@ratchet/service-kit/json/edit-json'
import type { JsonScan } from '@ratchet/service-kit/json/scan-json'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Body } from '../wire/dialect.ts'
import type { Places } from '../wire/responses/remap-input-paths.ts'
import { requestIdOf } from '../wire/responses/response-id.ts'
import { inputItemsOf, itemIdsOf, replayedItem, shownItem } from '../wire/responses/stored-items.ts'
import { earlierItems, referredItems } from './earlier-items.ts'
import { type TextReading, withPlace } from './read-texts.ts'
import type { ResponseStore } from './stored-response.ts'

export interface ReadBody {
  readonly bytes: Buffer
  readonly scan: JsonScan
  readonly body: Body
}

/** A checked request of the Responses API. */
export interface ReceivedResponse extends ReadBody, Pick<TextReading, 'workspaceId' | 'reserve'> {
  readonly requestId: string
  /** True when its workspace logs. Only then is an answer stored. */
  readonly loggingEnabled: boolean
  /** True when the request turned the log off for itself. */
  readonly isUnlogged: boolean
}

/** The part of a request that is stored with its complete answer. */
export interface StoreAs {
  readonly id: string
  readonly workspaceId: string
  readonly previousId: string | null
  readonly inputItems: readonly Fields[]
  readonly isUnlogged: boolean
}

export interface PreparedResponse {
  /**
   * The body with all earlier items in `input`, and with `store` as it is honoured. The same object when nothing
   * changed.
   */
  readonly read: ReadBody
  /** Null when the answer must not be stored. */
  readonly storeAs: StoreAs | null
  /** The origin of every item of its `input`; null when that is the client's own. */
  readonly places: Places | null
  /** True when the request asks for storage, but its workspace does not log. */
  readonly storeIsOff: boolean
  /** True when the body contains a response that must not be logged. */
  readonly containsUnlogged: boolean
}

export interface AnsweredResponse {
  /** The complete response object as the client gets it. */
  readonly reply: Buffer
  /** The catalog id of the model that answered. */
  readonly servedModel: string
}

/** Stores responses, and assembles the chains that requests continue. */
export interface ResponseRecorder {
  /**
   * Runs before the hold is taken, so that the hold covers the whole chain.
   *
   * @throws ServiceError when the chain is incomplete or too long, an item does not exist, there is no memory for them, or
   *   the store does not answer
   */
  prepare(received: ReceivedResponse): Promise<PreparedResponse>
  /**
   * Runs after the charge and before the last byte is sent, so that a client can continue the response at once.
   *
   * @throws ServiceError `service_unavailable` when the store does not answer, `quota_exceeded` when the workspace stores as
   *   much as it may; the answer itself is valid
   */
  store(storeAs: StoreAs, answered: AnsweredResponse): Promise<void>
}

export interface ResponseRecorderDeps {
  readonly store: ResponseStore
  readonly now: () => Date
}

/** Maximum bytes of a request together with everything before it, which is the maximum of a request without a chain. */
const maxBytes = 10 * mebibyte
const storedForMs = 30 * dayMs
/** Long chains that are read at a time, of all and of one workspace, and how many requests wait for that. */
const placesOfChains = { places: 4, maxOfOwner: 2, maxWaiting: { ofOwner: 32, ofAll: 256 } }

export function createResponseRecorder({ store, now }: ResponseRecorderDeps): ResponseRecorder {
  const places = createFairPlaces(placesOfChains)
  return {
    prepare: (received) => prepare(store, received, { at: now(), maxBytes, places }),
    async store({ id, workspaceId, previousId, inputItems, isUnlogged }, { reply, servedModel }) {
      const createdAt = now()
      await store.put({
        id,
        workspaceId,
        previousId,
        model: servedModel,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + storedForMs),
        inputItems: JSON.stringify(inputItems),
        reply: reply.toString(),
        itemIds: itemIdsOf(readObject(reply)?.body.output),
        isUnlogged,
      })
    },
  }
}

interface Limits extends Pick<TextReading, 'places'> {
  readonly at: Date
  readonly maxBytes: number
}

async function prepare(store: ResponseStore, received: ReceivedResponse, limits: Limits): Promise<PreparedResponse> {
  const { requestId, workspaceId, body, loggingEnabled } = received
  const given = inputItemsOf(body.input)
  let brought = 0
  const reserve = (bytes: number) => {
    received.reserve(bytes)
    brought += bytes
  }
  const reading = { ...limits, workspaceId, reserve }
  const referred = await referredItems(store, { ...reading, items: given })
  const { items: added } = referred
  const previous = typeof body.previous_response_id === 'string' ? body.previous_response_id : null
  const chain = previous === null ? null : await earlierItems(store, { ...reading, previous, added })
  const earlier = chain?.items ?? []
  const containsUnlogged = referred.isUnlogged || chain?.isUnlogged === true
  const wantsStore = body.store !== false
  const edits: Record<string, JsonEdits[string]> = {}
  const sent = earlier.length > 0 || added !== given ? sentItems(added, given) : null
  const own = sent?.map(({ index }) => (typeof body.input === 'string' ? ('whole' as const) : index))
  if (wantsStore && !loggingEnabled) edits.store = 'false'
  const isStored = wantsStore && loggingEnabled
  const shown = () => added.map((item, index) => shownItem(item, requestId, index))
  const previousId = previous === null ? null : requestIdOf(previous)
  const read = await withPlace(brought, reading, async () => {
    if (sent !== null) edits.input = JSON.stringify([...earlier, ...sent.map(({ item }) => item)])
    return edited(received, edits)
  })
  return {
    read,
    storeAs: isStored
      ? {
          id: requestId,
          workspaceId,
          previousId,
          inputItems: shown(),
          isUnlogged: received.isUnlogged || containsUnlogged,
        }
      : null,
    places: own === undefined ? null : [...earlier.map(() => null), ...own],
    storeIsOff: wantsStore && !loggingEnabled,
    containsUnlogged,
  }
}

interface SentItem {
  readonly item: Fields
  /** Its index in the client's list. */
  readonly index: number
}

/** The request's own items are sent unchanged. An item that it refers to is sent like every earlier one. */
function sentItems(added: readonly Fields[], given: readonly Fields[]): readonly SentItem[] {
  return added.flatMap((item, index) => {
    const sent = item === given[index] ? item : replayedItem(item, null)
    return sent === null ? [] : [{ item: sent, index }]
  })
}

function edited(received: ReceivedResponse, edits: JsonEdits): ReadBody {
  const { bytes, scan, body } = received
  if (Object.keys(edits).length === 0) return { bytes, scan, body }
  const changed = editTopLevel(bytes, scan, edits)
  if (changed.length > maxBytes) throw tooLong()
  const read = readObject(changed)
  if (read === null) throw new Error('an edited request cannot be read')
  return { bytes: changed, ...read }
}

function tooLong(): ServiceError {
  const message = `The request and the responses before it are larger than ${maxBytes} bytes together.`
  return new ServiceError('request_too_large', message, { param: 'previous_response_id' })
}
