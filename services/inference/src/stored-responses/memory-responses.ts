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
    async get(key, at) {
      return live(key, at)
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
      return found.reduce((sum, { reply }) => sum + Buffer.byteLength(reply), 0) > maxBytes ? null : found
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
  for (let next: string | null = id; next !== null; ) {
    const row = find(next)
    if (row === null) return { kind: 'missing' }
    bytes += Buffer.byteLength(row.inputItems) + Buffer.byteLength(row.reply)
    responses.unshift(row)
    if (bytes > maxBytes || responses.length > maxResponses) return { kind: 'too_long' }
    next = row.previousId
  }
  return { kind: 'whole', responses }
}
