import { z } from 'zod'

/** How a filter is typed in. */
export type FilterField =
  | {
      readonly name: string
      readonly kind: 'text'
      readonly label: string
      /** Why the contract refuses a text; null when it takes it. */
      readonly problemOf: (text: string) => string | null
    }
  | { readonly name: string; readonly kind: 'number'; readonly label: string }
  | { readonly name: string; readonly kind: 'time'; readonly label: string }
  | { readonly name: string; readonly kind: 'choice'; readonly label: string; readonly choices: readonly string[] }

/** Parameters of lists that are no filters. */
const notFilters = new Set(['limit', 'offset', 'after', 'content', 'columns'])

/**
 * The filters of a contract's query schema, in its order. What a field accepts decides its kind: a choice where it has values, a
 * time or a number where it accepts those and no other text.
 */
export function filterFieldsOf(schema: z.ZodObject): readonly FilterField[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(([name]) => !notFilters.has(name))
    .map(([name, field]) => fieldOf(name, field))
}

function fieldOf(name: string, field: z.ZodType): FilterField {
  const label = labelOf(name)
  const choices = choicesOf(field)
  if (choices !== null) return { name, kind: 'choice', label, choices }
  const accepts = (text: string) => field.safeParse(text).success
  const text = { name, kind: 'text', label, problemOf: (value: string) => problemOf(field, value) } as const
  if (accepts('text')) return text
  if (accepts('2026-01-01')) return { name, kind: 'time', label }
  return accepts('1') ? { name, kind: 'number', label } : text
}

function problemOf(field: z.ZodType, text: string): string | null {
  return field.safeParse(text).error?.issues[0]?.message ?? null
}

/** The values of an enum below whatever wraps it; null for other types. */
function choicesOf(field: z.ZodType): readonly string[] | null {
  if (field instanceof z.ZodEnum) return field.options.map(String)
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodNullable) {
    return choicesOf(field.unwrap() as z.ZodType)
  }
  return field instanceof z.ZodPipe ? choicesOf(field.in as z.ZodType) : null
}

const labels: Record<string, string> = {
  q: 'Words',
  start: 'From',
  end: 'Until',
  min_cost_usd: 'Cost at least (USD)',
  conversation_id: 'Session',
  metadata: 'Metadata (name=value)',
}

function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ')
  return labels[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** A time from an input of the browser, which has no zone, as the contract takes it; a date stays a date. */
export function isoOfLocal(local: string): string {
  return local.includes('T') ? new Date(local).toISOString() : local
}

/** A time of the contract for an input of the browser. */
export function localOfIso(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
