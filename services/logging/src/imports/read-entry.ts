import { ImportedLog } from '@ratchet/contracts/log-import'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { mayLoseDigits, parseExact } from '@ratchet/service-kit/values/exact-json'
import { isObject } from '@ratchet/service-kit/values/json'
import { contentBytes, maxContentBytes, problemOfText, tooDeepMessage } from '../exchanges/content-limits.ts'
import type { WrittenExchange } from '../redaction/redactor.ts'
import { type Refusal, refusalOf } from '../threads/refusal.ts'
import { type ImportContext, type ImportIdentity, rawExchange, withExactContent } from './imported-exchange.ts'

/** An entry of an import as JSON. */
export interface EntryOrder extends ImportContext {
  readonly text: string
}

/** A valid entry before redaction. */
export interface ReadEntry extends ImportIdentity {
  readonly written: WrittenExchange
}

export type EntryResult =
  | { readonly kind: 'read'; readonly entry: ReadEntry }
  | { readonly kind: 'too-large' }
  | Refusal

/** Milliseconds that a client's clock may be ahead of ours. */
const futureMs = hourMs

/** Reads an entry, in a time that grows with its size: about two seconds for the worst text. */
export function readEntry({ text, ...context }: EntryOrder): EntryResult {
  try {
    const problem = problemOfText(text)
    if (problem === 'too-large') return { kind: problem }
    if (problem !== null) throw new ServiceError('invalid_request', `The entry ${tooDeepMessage}`)
    const value = parsed(text)
    const log = parseEntry(value, context.at)
    const exact = mayLoseDigits(text) ? parseExact(text) : value
    const { content, ...known } = rawExchange(withExactContent(log, exact), context)
    if (contentBytes(content) > maxContentBytes) return { kind: 'too-large' }
    const isDated = (log.created_at ?? null) !== null
    return {
      kind: 'read',
      entry: { id: log.id ?? null, isDated, written: { known, content: JSON.stringify(content) } },
    }
  } catch (error) {
    return refusalOf(error)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ServiceError('invalid_request', 'The entry is not JSON.')
  }
}

function parseEntry(value: unknown, now: Date): ImportedLog {
  if (!isObject(value)) throw new ServiceError('invalid_request', 'The entry must be an object.')
  const log = parseInput(ImportedLog, value)
  const createdAt = log.created_at?.getTime()
  if (createdAt !== undefined && (createdAt < 0 || createdAt > now.getTime() + futureMs)) {
    throw new ServiceError('invalid_request', '`created_at` must be between 1970 and now.', { param: 'created_at' })
  }
  return log
}
