import { ServiceError } from '@ratchet/service-kit/service-error'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Body } from '../wire/dialect.ts'
import { editTopLevel, type JsonEdits } from '../wire/json/edit-json.ts'
import type { JsonScan } from '../wire/json/scan-json.ts'
import type { Fields } from '../wire/responses/fields.ts'
import type { Places } from '../wire/responses/own-places.ts'
import { requestIdOf } from '../wire/responses/response-id.ts'
import { inputItemsOf, itemIdsOf, replayedItem, shownItem } from '../wire/responses/stored-items.ts'
import { earlierItems, referredItems } from './earlier-items.ts'
import type { ResponseStore } from './stored-response.ts'

export interface ReadBody {
  readonly bytes: Buffer
  readonly scan: JsonScan
  readonly body: Body
}

/** A checked request of the Responses API. */
export interface ReceivedResponse extends ReadBody {
  readonly requestId: string
  readonly workspaceId: string
  /** Whether its workspace logs: only then is anything kept. */
  readonly loggingEnabled: boolean
}

/** What is kept of a request when its answer is whole. */
export interface StoreAs {
  readonly id: string
  readonly workspaceId: string
  readonly previousId: string | null
  readonly inputItems: readonly Fields[]
}

export interface PreparedResponse {
  /** With everything before it in `input`, and with `store` as it is honoured. The very same when nothing changed. */
  readonly read: ReadBody
  /** Null when the answer is not to be kept. */
  readonly storeAs: StoreAs | null
  /** Where every item of its `input` came from; null when that is the client's own. */
  readonly places: Places | null
  /** The request wanted to be stored, and is not because the workspace does not log. */
  readonly storeIsOff: boolean
}

export interface AnsweredResponse {
  /** The whole response object as the client gets it. */
  readonly reply: Buffer
  /** The catalog id of the model that answered. */
  readonly model: string
}

/** Keeps responses, and puts the chains together that requests go on from. */
export interface ResponseRecorder {
  /**
   * Before the hold is taken, so that the hold covers the whole chain.
   *
   * @throws ServiceError when the chain is not whole or too long, an item is not there, or the store does not answer
   */
  prepare(received: ReceivedResponse): Promise<PreparedResponse>
  /**
   * Once the answer is charged and before its last byte leaves, so that a client can go on from it at once.
   *
   * @throws ServiceError `service_unavailable` when the store does not answer; the answer itself is good
   */
  keep(storeAs: StoreAs, answered: AnsweredResponse): Promise<void>
}

export interface ResponseRecorderDeps {
  readonly store: ResponseStore
  readonly now: () => Date
}

/** Bytes of a request together with everything before it: what one request may be without a chain. */
const maxBytes = 10 * 1024 * 1024
const keptForMs = 30 * 86_400_000

export function createResponseRecorder({ store, now }: ResponseRecorderDeps): ResponseRecorder {
  return {
    prepare: (received) => prepare(store, received, now()),
    async keep({ id, workspaceId, previousId, inputItems }, { reply, model }) {
      const createdAt = now()
      await store.put({
        id,
        workspaceId,
        previousId,
        model,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + keptForMs),
        inputItems: JSON.stringify(inputItems),
        reply: reply.toString(),
        itemIds: itemIdsOf(readObject(reply)?.body.output),
      })
    },
  }
}

async function prepare(store: ResponseStore, received: ReceivedResponse, at: Date): Promise<PreparedResponse> {
  const { requestId, workspaceId, body, loggingEnabled } = received
  const given = inputItemsOf(body.input)
  const added = await referredItems(store, { workspaceId, items: given, at, maxBytes })
  const previous = typeof body.previous_response_id === 'string' ? body.previous_response_id : null
  const earlier = previous === null ? [] : await earlierItems(store, { workspaceId, previous, at, maxBytes, added })
  const wantsStore = body.store !== false
  const edits: Record<string, JsonEdits[string]> = {}
  const sent = earlier.length > 0 || added !== given ? sentItems(added, given) : null
  if (sent !== null) edits.input = JSON.stringify([...earlier, ...sent.map(({ item }) => item)])
  const own = sent?.map(({ index }) => (typeof body.input === 'string' ? ('whole' as const) : index))
  if (wantsStore && !loggingEnabled) edits.store = 'false'
  const isKept = wantsStore && loggingEnabled
  const shown = () => added.map((item, index) => shownItem(item, requestId, index))
  const previousId = previous === null ? null : requestIdOf(previous)
  return {
    read: edited(received, edits),
    storeAs: isKept ? { id: requestId, workspaceId, previousId, inputItems: shown() } : null,
    places: own === undefined ? null : [...earlier.map(() => null), ...own],
    storeIsOff: wantsStore && !loggingEnabled,
  }
}

interface SentItem {
  readonly item: Fields
  /** Its place in the client's list. */
  readonly index: number
}

/** What the request itself holds goes on as it came; an item that it refers to goes as every earlier one does. */
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
