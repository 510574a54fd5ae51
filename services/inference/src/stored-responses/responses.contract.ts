import { randomUUID } from 'node:crypto'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { ResponseKey, ResponseStore, StoredResponse } from './stored-response.ts'

const at = new Date('2026-03-01T12:00:00Z')
const later = (ms: number) => new Date(at.getTime() + ms)
const limits = { at, maxResponses: 100, maxBytes: 1_000_000 }

function responseOf(change: Partial<StoredResponse> = {}): StoredResponse {
  return {
    id: randomUUID(),
    workspaceId: randomUUID(),
    previousId: null,
    model: 'sim/large',
    createdAt: at,
    expiresAt: later(1_000),
    inputItems: '[{"type":"message","id":"in_1","role":"user","content":"Grüße \\u0000 \\ud800"}]',
    reply: '{"id":"resp_1","output":[{"id":"msg_1","type":"message"}],"n":1.0}',
    itemIds: ['msg_1'],
    isUnlogged: false,
    ...change,
  }
}

/** The behaviour of every store of responses; both the real one and the one in memory run it. */
export function responsesContract(name: string, open: () => ResponseStore): void {
  describe(name, () => {
    let store: ResponseStore
    beforeEach(() => {
      store = open()
    })

    /** A chain of responses of one workspace, the oldest first. */
    async function chainOf(length: number, change: (index: number) => Partial<StoredResponse> = () => ({})) {
      const workspaceId = randomUUID()
      const responses: StoredResponse[] = []
      for (let index = 0; index < length; index += 1) {
        const previousId = responses.at(-1)?.id ?? null
        const response = responseOf({ workspaceId, previousId, inputItems: `["${index}"]`, ...change(index) })
        await store.put(response)
        responses.push(response)
      }
      return { workspaceId, responses, last: { workspaceId, id: responses.at(-1)?.id ?? '' } }
    }

    /** The texts of a response that the store returns; null when it has none. */
    async function textsOf(key: ResponseKey, time = at) {
      const found = await store.find(key, time)
      return found && { inputItems: await found.inputItems.read(), reply: await found.reply.read() }
    }
    const stored = ({ inputItems, reply }: StoredResponse) => ({ inputItems, reply })

    it('returns what was stored, byte for byte', async () => {
      const response = responseOf({ itemIds: ['msg_1', 'fc_"2"', 'ü'] })
      await store.put(response)
      expect(await textsOf(response)).toEqual(stored(response))
    })

    it('measures the texts of a response before they are read, and has none after it was deleted', async () => {
      const response = responseOf({ inputItems: '["é"]', reply: '{}' })
      await store.put(response)
      const found = await store.find(response, at)
      expect([found?.inputItems.bytes, found?.reply.bytes]).toEqual([6, 2])
      await store.delete(response, at)
      expect([await found?.inputItems.read(), await found?.reply.read()]).toEqual([null, null])
    })

    it('keeps the first of two with the same id', async () => {
      const response = responseOf()
      await store.put(response)
      await store.put({ ...response, reply: '{}' })
      expect(await textsOf(response)).toEqual(stored(response))
    })

    it('finds and deletes nothing of another workspace', async () => {
      const response = responseOf()
      await store.put(response)
      const outsider = { id: response.id, workspaceId: randomUUID() }
      expect(await textsOf(outsider)).toBeNull()
      expect(await store.delete(outsider, at)).toBe(false)
      expect(await store.chain(outsider, limits)).toEqual({ kind: 'missing' })
      const query = { workspaceId: outsider.workspaceId, itemIds: ['msg_1'], at, maxBytes: 1_000 }
      expect(await (await store.repliesWith(query))?.read()).toEqual([])
      expect(await textsOf(response)).toEqual(stored(response))
    })

    it('deletes once', async () => {
      const response = responseOf()
      await store.put(response)
      expect([await store.delete(response, at), await store.delete(response, at)]).toEqual([true, false])
      expect(await textsOf(response, at)).toBeNull()
    })

    it('treats expired responses as deleted, before any sweep', async () => {
      const response = responseOf()
      await store.put(response)
      expect(await textsOf(response, later(1_000))).toBeNull()
      expect(await store.delete(response, later(1_000))).toBe(false)
      expect(await store.chain(response, { ...limits, at: later(1_000) })).toEqual({ kind: 'missing' })
    })

    it('sweeps only expired responses, up to its limit', async () => {
      const expired = later(-dayMs)
      const old = { createdAt: later(-86_400_001), expiresAt: expired }
      const { responses } = await chainOf(3, () => old)
      const fresh = responseOf()
      await store.put(fresh)
      expect([await store.sweep(expired, 2), await store.sweep(expired, 2), await store.sweep(expired, 2)]).toEqual([
        2, 1, 0,
      ])
      for (const response of responses) expect(await textsOf(response, later(-86_400_001))).toBeNull()
      expect(await textsOf(fresh)).toEqual(stored(fresh))
    })

    it('returns a chain from its start to the requested response', async () => {
      const { responses, last } = await chainOf(4)
      const chain = await store.chain(last, limits)
      const read = chain.kind === 'whole' ? await chain.read() : null
      const bytes = responses.reduce((sum, { inputItems, reply }) => sum + inputItems.length + reply.length, 0)
      expect(chain).toMatchObject({ kind: 'whole', bytes })
      expect(read).toEqual(
        responses.map(({ inputItems, reply, model, isUnlogged }) => ({ inputItems, reply, model, isUnlogged })),
      )
    })

    it('returns nothing of a chain of which a response was deleted after it was found', async () => {
      const { responses, last, workspaceId } = await chainOf(3)
      const chain = await store.chain(last, limits)
      await store.delete({ workspaceId, id: responses[1]?.id ?? '' }, at)
      expect(chain.kind === 'whole' && (await chain.read())).toBeNull()
    })

    it.each([0, 1, 2])('has no chain once the response at %i is deleted', async (index) => {
      const { responses, last, workspaceId } = await chainOf(3)
      await store.delete({ workspaceId, id: responses[index]?.id ?? '' }, at)
      expect(await store.chain(last, limits)).toEqual({ kind: 'missing' })
    })

    it('has no chain through a response of another workspace, or an expired one', async () => {
      const foreign = await chainOf(2, (index) => (index === 0 ? { workspaceId: randomUUID() } : {}))
      const expired = await chainOf(3, (index) => (index === 1 ? { createdAt: later(-2), expiresAt: at } : {}))
      expect(await store.chain(foreign.last, limits)).toEqual({ kind: 'missing' })
      expect(await store.chain(expired.last, limits)).toEqual({ kind: 'missing' })
    })

    it('accepts a chain of the maximum number of responses, and none of one more', async () => {
      const { last } = await chainOf(4)
      expect(await store.chain(last, { ...limits, maxResponses: 4 })).toMatchObject({ kind: 'whole' })
      expect(await store.chain(last, { ...limits, maxResponses: 3 })).toEqual({ kind: 'too_long' })
    })

    it('accepts a chain of the maximum number of bytes, and none of one more', async () => {
      const { last } = await chainOf(3, () => ({ inputItems: '["é"]', reply: '{}' }))
      expect(await store.chain(last, { ...limits, maxBytes: 24 })).toMatchObject({ kind: 'whole' })
      expect(await store.chain(last, { ...limits, maxBytes: 23 })).toEqual({ kind: 'too_long' })
    })

    it('finds the replies with any of these items, the newest first, up to the maximum bytes', async () => {
      const { workspaceId } = await chainOf(3, (index) => ({
        createdAt: later(index - 10),
        itemIds: [`msg_${index}`, 'both'],
        reply: `{"n":${index}}`,
        inputItems: '[]',
        isUnlogged: index === 2,
      }))
      const query = { workspaceId, at, maxBytes: 1_000 }
      const found = async (change: object) => (await store.repliesWith({ ...query, itemIds: [], ...change }))?.read()
      expect(await found({ itemIds: ['msg_0', 'msg_2', 'none'] })).toEqual([
        { reply: '{"n":2}', model: 'sim/large', isUnlogged: true },
        { reply: '{"n":0}', model: 'sim/large', isUnlogged: false },
      ])
      expect(await found({ itemIds: ['none'] })).toEqual([])
      expect(await found({})).toEqual([])
      expect(await store.repliesWith({ ...query, itemIds: ['both'], maxBytes: 20 })).toBeNull()
      expect(await found({ itemIds: ['both'], at: later(1_000) })).toEqual([])
    })
  })
}
