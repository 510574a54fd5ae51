import { countingUuids } from '@ratchet/testing/counting-ids'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Body } from '../wire/dialect.ts'
import { responseIdOf } from '../wire/responses/response-id.ts'
import { createMemoryResponses } from './memory-responses.ts'
import { createResponseRecorder } from './response-recorder.ts'

/** The workspace whose requests a test recorder prepares. */
export const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const start = Date.parse('2026-03-01T00:00:00Z')

/** Runs a read of texts, of so many bytes. */
export type Reading = <T>(read: () => Promise<T>, bytes: number) => Promise<T>

/** A recorder over a store in memory, and a client of one workspace that uses it. */
export function testRecorder(reading: Reading = (read) => read()) {
  const responses = createMemoryResponses()
  const store: typeof responses = {
    ...responses,
    async chain(key, limits) {
      const found = await responses.chain(key, limits)
      return found.kind === 'whole' ? { ...found, read: () => reading(found.read, found.bytes) } : found
    },
  }
  const clock = { ms: start }
  const reserved: number[] = []
  const reserve = (bytes: number) => void reserved.push(bytes)
  const recorder = createResponseRecorder({ store, now: () => new Date(clock.ms) })
  const newId = countingUuids()
  const prepare = (
    body: Body,
    more: {
      workspaceId?: string
      loggingEnabled?: boolean
      requestId?: string
      isUnlogged?: boolean
      reserve?: (bytes: number) => void
    } = {},
  ) => {
    const bytes = Buffer.from(JSON.stringify({ model: 'acme/fast', ...body }))
    const read = readObject(bytes)
    if (read === null) throw new Error('not an object')
    return recorder.prepare({
      requestId: newId(),
      workspaceId,
      loggingEnabled: true,
      isUnlogged: false,
      reserve,
      bytes,
      ...read,
      ...more,
    })
  }
  /** Sends a request that is answered with these output items, and returns the response's id. */
  const ask = async (
    body: Body,
    output: object[] = [],
    { cut = {}, ...more }: Parameters<typeof prepare>[1] & { cut?: object } = {},
  ) => {
    const requestId = newId()
    const { storeAs } = await prepare(body, { requestId, ...more })
    const id = responseIdOf(requestId)
    const reply = Buffer.from(JSON.stringify({ id, object: 'response', status: 'completed', output, ...cut }))
    if (storeAs !== null) await recorder.store(storeAs, { reply, servedModel: 'acme/fast' })
    return id
  }
  const inputOf = async (body: Body) => (await prepare(body)).read.body.input
  return { store, clock, reserved, prepare, ask, inputOf }
}

/** A part of a message. */
export const text = (value: string) => ({ type: 'output_text', text: value, annotations: [] })
/** A message of a model. */
export const said = (id: string, value: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [text(value)],
})
