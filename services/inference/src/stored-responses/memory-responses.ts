import type { ChainLimits, ResponseChain, ResponseKey, ResponseStore, StoredResponse } from './stored-response.ts'

/** A store in memory with the same contract, for tests. */
export function createMemoryResponses(): ResponseStore {
  const rows = new Map<string, StoredResponse>()
  const live = ({ workspaceId, id }: ResponseKey, at: Date) => {
    const row = rows.get(id)
    return row !== undefined && row.workspaceId === workspaceId && row.expiresAt > at ? row : null
  }
  return {
    async put(response) {
      if (!rows.has(response.id)) rows.set(response.id, response)
    },
    async find(key, at) {
      const row = live(key, at)
      const found = (name: 'inputItems' | 'reply') => ({
        bytes: Buffer.byteLength(row?.[name] ?? ''),
        read: async () => live(key, at)?.[name] ?? null,
      })
      return row === null ? null : { inputItems: found('inputItems'), reply: found('reply') }
    },
    async delete(key, at) {
      return live(key, at) !== null && rows.delete(key.id)
    },
    async chain(key, limits) {
      return chainFrom(key, limits, (id) => live({ ...key, id }, limits.at))
    },
    async repliesWith({ workspaceId, itemIds, at, maxBytes }) {
      const found = [...rows.values()]
        .filter((row) => live({ workspaceId, id: row.id }, at) !== null)
        .filter((row) => row.itemIds.some((id) => itemIds.includes(id)))
        .sort((left, right) => right.createdAt.getTime() - left.createdAt.getTime())
        .map(({ reply, model, isUnlogged }) => ({ reply, model, isUnlogged }))
      const bytes = found.reduce((sum, { reply }) => sum + Buffer.byteLength(reply), 0)
      return bytes > maxBytes ? null : { bytes, read: async () => found }
    },
    async sweep(at, limit) {
      const expired = [...rows.values()].filter(({ expiresAt }) => expiresAt <= at).slice(0, limit)
      for (const { id } of expired) rows.delete(id)
      return expired.length
    },
  }
}

function chainFrom(
  { id }: ResponseKey,
  { maxResponses, maxBytes }: ChainLimits,
  find: (id: string) => StoredResponse | null,
): ResponseChain {
  const responses: StoredResponse[] = []
  let bytes = 0
  const read = async () =>
    responses.some((each) => find(each.id) === null)
      ? null
      : responses.map(({ inputItems, reply, model, isUnlogged }) => ({ inputItems, reply, model, isUnlogged }))
  for (let next: string | null = id; next !== null; ) {
    const row = find(next)
    if (row === null) return { kind: 'missing' }
    bytes += Buffer.byteLength(row.inputItems) + Buffer.byteLength(row.reply)
    responses.unshift(row)
    if (bytes > maxBytes || responses.length > maxResponses) return { kind: 'too_long' }
    next = row.previousId
  }
  return { kind: 'whole', bytes, read }
}
