/** Ids that count, for `newId` in `deps`: `log_1`, `log_2`, … */
export function countingIds(prefix = 'id_'): () => string {
  let count = 0
  return () => `${prefix}${++count}`
}

/** The same where a column or a schema wants a UUID: `00000000-0000-7000-8000-000000000001`, … */
export function countingUuids(): () => string {
  let count = 0
  return () => `00000000-0000-7000-8000-${String(++count).padStart(12, '0')}`
}
