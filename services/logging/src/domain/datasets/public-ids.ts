/** Prefixes of ids on the wire; the UUID's hex digits follow. */
const prefixes = { dataset: 'ds_', file: 'file-' } as const

export type IdKind = keyof typeof prefixes

export function publicId(kind: IdKind, uuid: string): string {
  return prefixes[kind] + uuid.replaceAll('-', '')
}

/** The UUID that a public id stands for, or null for what is none. */
export function uuidOf(kind: IdKind, id: string): string | null {
  const prefix = prefixes[kind]
  const digits = id.slice(prefix.length)
  if (!id.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(digits)) return null
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
