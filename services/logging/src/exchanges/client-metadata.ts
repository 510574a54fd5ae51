import { createHash } from 'node:crypto'
import { asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { ExchangeFilter } from './exchange-reads.ts'
import { textWords } from './exchange-words.ts'

/** What a client calls an exchange by, beside its tag and its trace. */
export interface ClientMetadata {
  readonly user: string | null
  readonly conversationId: string | null
  /** At most {@link maxMetadata} values by name. */
  readonly metadata: Readonly<Record<string, string>>
}

export const maxMetadata = 16

/** The user and the metadata of an exchange, which are stored with its parameters. */
export function clientMetadataIn(
  { user, metadata }: Fields,
  max = maxMetadata,
): Pick<ClientMetadata, 'user' | 'metadata'> {
  const values = Object.entries(asObject(metadata) ?? {}).filter(([, value]) => typeof value === 'string')
  return { user: asText(user), metadata: Object.fromEntries(values.slice(0, max)) as Record<string, string> }
}

/** Parameters of these names that are no client metadata: those of an imported entry may be anything. */
export function withoutClientMetadata({ user, metadata }: Fields): Fields {
  const fields = asObject(metadata)
  const others = Object.entries(fields ?? {}).filter(([, value]) => typeof value !== 'string')
  return {
    ...(isAbsent(user) || typeof user === 'string' ? {} : { user }),
    ...(others.length > 0 ? { metadata: Object.fromEntries(others) } : {}),
    ...(fields === null && !isAbsent(metadata) ? { metadata } : {}),
  }
}

/** The words of an exchange together with the words by which its client metadata is found. No word of a text is one of these. */
export function withClientMetadataWords(
  workspaceId: string,
  words: BigInt64Array,
  named: ClientMetadata,
): BigInt64Array {
  const own = clientMetadataWords(workspaceId, named)
  return own.length === 0 ? words : BigInt64Array.from([...words, ...own])
}

function clientMetadataWords(
  workspaceId: string,
  { user, conversationId, metadata }: Partial<ClientMetadata>,
): bigint[] {
  return [
    ...(user === undefined || user === null ? [] : [wordOf(workspaceId, 'user', user)]),
    ...(conversationId === undefined || conversationId === null
      ? []
      : [wordOf(workspaceId, 'conversation', conversationId)]),
    ...Object.entries(metadata ?? {}).map(([name, value]) => wordOf(workspaceId, 'metadata', `${name}=${value}`)),
  ]
}

function wordOf(workspaceId: string, kind: string, value: string): bigint {
  return createHash('sha256').update(`${workspaceId} ${kind} ${value}`).digest().readBigInt64LE()
}

/** The words that an exchange must have all of; null when a filter requires none, empty when no exchange can have them. */
export function filterWords(workspaceId: string, filter: ExchangeFilter): readonly bigint[] | null {
  const { words, user, conversationId, metadata } = filter
  const named = metadata === undefined ? {} : Object.fromEntries([splitPair(metadata)])
  const found = clientMetadataWords(workspaceId, {
    user: user ?? null,
    conversationId: conversationId ?? null,
    metadata: named,
  })
  const said = words === undefined ? null : [...textWords(workspaceId, words)]
  if (said === null && found.length === 0) return null
  return said?.length === 0 ? [] : [...(said ?? []), ...found]
}

function splitPair(pair: string): readonly [string, string] {
  const at = pair.indexOf('=')
  return [pair.slice(0, at), pair.slice(at + 1)]
}
