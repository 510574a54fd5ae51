import type { importLogs } from '@ratchet/contracts/log-import'
import { asObject, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import type { z } from 'zod'

/** An entry of the log as the import takes it. */
export type EntryToImport = z.input<typeof importLogs.body>['logs'][number]

/** What a row of another product's export becomes. */
export type ReadRow =
  | { readonly kind: 'entry'; readonly entry: EntryToImport }
  /** It is no answer of a model. The reason is the same for rows of the same kind, so that they can be counted. */
  | { readonly kind: 'left_out'; readonly reason: string }

/** Reads one row of an export. */
export type RowReader = (row: Fields) => ReadRow

export const leftOut = (reason: string): ReadRow => ({ kind: 'left_out', reason })

/** An object, also when it was exported as JSON text; null for anything else. */
export function fieldsOf(value: unknown): Fields | null {
  return asObject(readText(value))
}

/** A list, also when it was exported as JSON text; null for anything else. */
export function listOf(value: unknown): readonly unknown[] | null {
  const read = readText(value)
  return Array.isArray(read) ? read : null
}

function readText(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(value) : value
}

/** The first of these that is a text and not empty. */
export function textOf(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '')
}

/** The first of these that is a number of 0 or more, also when it was exported as text. */
export function numberOf(...values: readonly unknown[]): number | undefined {
  return values
    .map((value) => (typeof value === 'string' && value !== '' ? Number(value) : value))
    .find((value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0)
}

export function countOf(...values: readonly unknown[]): number | undefined {
  const found = numberOf(...values)
  return found === undefined ? undefined : Math.round(found)
}

/** ISO 8601 in UTC, of a text with or without a zone, which is then UTC, or of seconds or milliseconds since 1970. */
export function timeOf(...values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const at = dateOf(value)
    if (at !== null && !Number.isNaN(at.getTime())) return at.toISOString()
  }
  return undefined
}

/** Numbers below are seconds since 1970: as milliseconds they would be in 1970. */
const firstMilliseconds = 100_000_000_000

function dateOf(value: unknown): Date | null {
  if (typeof value === 'number') return new Date(value < firstMilliseconds ? value * 1_000 : value)
  if (typeof value !== 'string' || value === '') return null
  const hasZone = /(?:z|[+-]\d{2}:?\d{2})$/i.test(value)
  return new Date(hasZone ? value : `${value.replace(' ', 'T')}Z`)
}

/** Milliseconds between two times; undefined when one is missing. */
export function msBetween(start: string | undefined, end: string | undefined): number | undefined {
  if (start === undefined || end === undefined) return undefined
  return Math.max(0, new Date(end).getTime() - new Date(start).getTime())
}

/** Labels of an exchange as the log keeps them: texts, at most 512 characters. Null without any. */
export function labelsOf(value: unknown): Record<string, string> | undefined {
  const entries = Object.entries(fieldsOf(value) ?? {}).flatMap(([name, label]): [string, string][] => {
    if (label === null || label === undefined || label === '') return []
    return [[name, (typeof label === 'object' ? JSON.stringify(label) : String(label)).slice(0, 512)]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** An id of a run as the log keeps it: 1 to 128 visible ASCII characters. */
export function runOf(...values: readonly unknown[]): string | undefined {
  const id = textOf(...values)
  return id !== undefined && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined
}

/** Without the fields that are not known. */
export function entryOf(fields: { readonly [Name in keyof EntryToImport]: EntryToImport[Name] | undefined }): ReadRow {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { kind: 'entry', entry: Object.fromEntries(known) as EntryToImport }
}
