import { z } from 'zod'

/**
 * A list in a caller's body, as `z.array` makes it, except that validation stops at the first wrong item: zod continues and
 * collects the errors of all items, so that a small body of wrong items costs seconds and gigabytes. Errors of the first
 * wrong item are the same. Checks after a wrong item see the list up to it.
 */
export function listOf<T extends z.ZodType>(item: T): z.ZodArray<T> {
  return new BoundedList({ type: 'array', element: item }) as unknown as z.ZodArray<T>
}

/** The same for an object with keys of the caller's choice, as `z.record` makes it. */
export function recordOf<K extends z.ZodString, V extends z.ZodType>(key: K, value: V): z.ZodRecord<K, V> {
  return new BoundedRecord({ type: 'record', keyType: key, valueType: value }) as unknown as z.ZodRecord<K, V>
}

const BoundedList = z.core.$constructor<z.ZodArray>('BoundedList', (list, def) => {
  z.ZodArray.init(list, def)
  const parseAll = list._zod.parse
  list._zod.parse = (payload, context) => {
    const items: unknown = payload.value
    // `parseAll` refuses a list with too many items without a look at them.
    if (!Array.isArray(items) || items.length > maxItems(def)) return parseAll(payload, context)
    const parsed: unknown[] = []
    for (const [index, item] of items.entries()) {
      const result = inOneGo(def.element._zod.run({ value: item, issues: [] }, context))
      parsed.push(result.value)
      if (result.issues.length === 0) continue
      payload.issues.push(...z.core.util.prefixIssues(index, result.issues))
      break
    }
    payload.value = parsed
    return payload
  }
})

const BoundedRecord = z.core.$constructor<z.ZodRecord>('BoundedRecord', (record, def) => {
  z.ZodRecord.init(record, def)
  const parseAll = record._zod.parse
  record._zod.parse = (payload, context) => {
    const entries = z.core.util.isPlainObject(payload.value) ? Object.entries(payload.value) : []
    if (entries.length < 2) return parseAll(payload, context)
    const parsed: Record<PropertyKey, unknown> = {}
    for (const [key, value] of entries) {
      const result = inOneGo(parseAll({ value: { [key]: value }, issues: [] }, context))
      Object.assign(parsed, result.value)
      if (result.issues.length === 0) continue
      payload.issues.push(...result.issues)
      break
    }
    payload.value = parsed
    return payload
  }
})

/** The most items that the list may have; Infinity without a maximum. */
function maxItems({ checks = [] }: z.core.$ZodArrayDef): number {
  return Math.min(...checks.map(({ _zod: { def } }) => (def as { readonly maximum?: number }).maximum ?? Infinity))
}

/** @throws Error for a schema with asynchronous checks, which callers' bodies do not have */
function inOneGo(result: z.core.ParsePayload | Promise<z.core.ParsePayload>): z.core.ParsePayload {
  if (result instanceof Promise) throw new z.core.$ZodAsyncError()
  return result
}
