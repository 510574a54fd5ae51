import { createHash } from 'node:crypto'
import { asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { ExchangeFilter } from './exchange-reads.ts'
import { textWords } from './exchange-words.ts'

/** What a client calls an exchange by, beside its tag and its trace. */
export interface ExchangeLabels {
  readonly user: string | null
  readonly conversationId: string | null
  /** At most {@link maxMetadata} values by name. */
  readonly metadata: Readonly<Record<string, string>>
}

export const maxMetadata = 16

/** The user and the metadata of an exchange, which are stored with its parameters. */
export function labelsIn({ user, metadata }: Fields, max = maxMetadata): Pick<ExchangeLabels, 'user' | 'metadata'> {
  const values = Object.entries(asObject(metadata) ?? {}).filter(([, value]) => typeof value === 'string')
  return { user: asText(user), metadata: Object.fromEntries(values.slice(0, max)) as Record<string, string> }
}

/** Parameters of these names that are no labels: those of an imported entry may be anything. */
export function withoutLabels({ user, metadata }: Fields): Fields {
  const fields = asObject(metadata)
  const others = Object.entries(fields ?? {}).filter(([, value]) => typeof value !== 'string')
  return {
    ...(isAbsent(user) || typeof user === 'string' ? {} : { user }),
    ...(others.length > 0 ? { metadata: Object.fromEntries(others) } : {}),
    ...(fields === null && !isAbsent(metadata) ? { metadata } : {}),
  }
}

/** The words of an exchange together with the words by which its labels are found. No word of a text is one of these. */
export function withLabelWords(workspaceId: string, words: BigInt64Array, labels: ExchangeLabels): BigInt64Array {
  const own = labelWords(workspaceId, labels)
  return own.length === 0 ? words : BigInt64Array.from([...words, ...own])
}

function labelWords(workspaceId: string, { user, conversationId, metadata }: Partial<ExchangeLabels>): bigint[] {
  return [
    ...(user === undefined || user === null ? [] : [labelWord(workspaceId, 'user', user)]),
    ...(conversationId === undefined || conversationId === null
      ? []
      : [labelWord(workspaceId, 'conversation', conversationId)]),
    ...Object.entries(metadata ?? {}).map(([name, value]) => labelWord(workspaceId, 'metadata', `${name}=${value}`)),
  ]
}

function labelWord(workspaceId: string, kind: string, value: string): bigint {
  return createHash('sha256').update(`${workspaceId} ${kind} ${value}`).digest().readBigInt64LE()
}

/** The words that an exchange must have all of; null when a filter requires none, empty when no exchange can have them. */
export function filterWords(workspaceId: string, filter: ExchangeFilter): readonly bigint[] | null {
  const { words, user, conversationId, metadata } = filter
  const named = metadata === undefined ? {} : Object.fromEntries([splitPair(metadata)])
  const labels = labelWords(workspaceId, {
    user: user ?? null,
    conversationId: conversationId ?? null,
    metadata: named,
  })
  const said = words === undefined ? null : [...textWords(workspaceId, words)]
  if (said === null && labels.length === 0) return null
  return said?.length === 0 ? [] : [...(said ?? []), ...labels]
}

function splitPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), pair.slice(at + 1)]
}
