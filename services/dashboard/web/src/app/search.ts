import type { z } from 'zod'

/** Search parameters of a page: texts, as in the address. */
export type SearchOf<Schema extends z.ZodObject> = { readonly [Name in keyof Schema['shape']]?: string }

/**
 * Checks search parameters with a schema, such as the query of a contract. A value that the schema refuses is left out, so an old
 * link opens the page instead of an error. Values stay texts: what is in the address is what the endpoint is sent.
 */
export function searchOf<Schema extends z.ZodObject>(schema: Schema) {
  return (raw: Record<string, unknown>): SearchOf<Schema> => {
    const accepted = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
      const value = raw[name]
      return typeof value === 'string' && value !== '' && field.safeParse(value).success ? [[name, value]] : []
    })
    return Object.fromEntries(accepted) as SearchOf<Schema>
  }
}

/** A text of an address that is longer names nothing. */
const maxLength = 1_000

/**
 * Accepts search parameters by their names, for a page whose contract is not loaded before it is opened. The endpoint says
 * what it refuses.
 */
export function searchNamed<Name extends string>(...names: readonly Name[]) {
  return (raw: Record<string, unknown>): { readonly [Each in Name]?: string } => {
    const accepted = names.flatMap((name) => {
      const value = raw[name]
      return typeof value === 'string' && value !== '' && value.length <= maxLength ? [[name, value]] : []
    })
    return Object.fromEntries(accepted)
  }
}

/** Reads the search part of an address. Every value is a text, and the last of several counts. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Writes search parameters as part of an address. Empty and missing values are left out. */
export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
