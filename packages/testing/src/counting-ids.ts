/** Sequential ids for `newId` in `deps`: `log_1`, `log_2`, … */
export function countingIds(prefix = 'id_'): () => string {
  let count = 0
  return () => `${prefix}${++count}`
}

/** Sequential UUIDs, for columns and schemas that require one: `00000000-0000-7000-8000-000000000001`, … */
export function countingUuids(): () => string {
  let count = 0
  return () => `00000000-0000-7000-8000-${String(++count).padStart(12, '0')}`
}
