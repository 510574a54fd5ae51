import type { OutboxEntry, OutboxStore } from './outbox.ts'

const databaseName = 'ratchet-review'
const tableName = 'outbox'

/** Keeps grades in the browser until they are sent, also over a reload. Without IndexedDB they last as long as the page. */
export function createOutboxStore(): OutboxStore {
  const memory = new Map<string, OutboxEntry>()
  const database = openDatabase().catch(() => null)
  const table = async (mode: IDBTransactionMode) =>
    (await database)?.transaction(tableName, mode).objectStore(tableName) ?? null
  return {
    all: async () => {
      const rows = await table('readonly')
      return rows === null ? [...memory.values()] : resultOf<OutboxEntry[]>(rows.getAll())
    },
    put: async (entry) => {
      const rows = await table('readwrite')
      if (rows === null) memory.set(entry.gradeId, entry)
      else await resultOf(rows.put(entry))
    },
    has: async (gradeId) => {
      const rows = await table('readonly')
      return rows === null ? memory.has(gradeId) : (await resultOf(rows.count(gradeId))) > 0
    },
    remove: async (gradeId) => {
      const rows = await table('readwrite')
      if (rows === null) memory.delete(gradeId)
      else await resultOf(rows.delete(gradeId))
    },
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(tableName, { keyPath: 'gradeId' })
  return resultOf(request)
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
