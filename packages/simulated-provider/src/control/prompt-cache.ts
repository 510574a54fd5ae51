import { hash } from 'node:crypto'
import { countTokens } from '../answers/tokenize.ts'
import type { Fields } from '../wire/read-fields.ts'

/** What was sent before, for each account. */
export interface PromptCache {
  /** Tokens of the messages with which an earlier prompt of the account began too; then it knows those of this prompt. */
  enter(account: string, body: Fields): number
  clear(): void
}

/** @param capacity beginnings in memory, ≥ 1; beyond it the oldest is deleted */
export function createPromptCache(capacity: number): PromptCache {
  const known = new Set<string>()
  return {
    enter(account, { messages }) {
      const parts = Array.isArray(messages) ? messages.map((message) => JSON.stringify(message) ?? '') : []
      let name = account
      let cached = 0
      for (const part of parts) {
        name = hash('sha1', `${name}\n${part}`, 'hex')
        if (known.has(name)) cached += countTokens(part)
        known.add(name)
        const [oldest] = known
        if (known.size > capacity && oldest !== undefined) known.delete(oldest)
      }
      return cached
    },
    clear: () => known.clear(),
  }
}
