import type { ErasureCount, PersonErasure } from '@ratchet/contracts/dashboard/erasures'
import { count } from '../../../kit/numbers.ts'

type Mark = 'proven' | 'open' | 'wrong' | 'none'

export const stateWords: Readonly<Record<PersonErasure['state'], { readonly word: string; readonly mark: Mark }>> = {
  finding: { word: 'counting', mark: 'open' },
  found: { word: 'to be confirmed', mark: 'open' },
  erasing: { word: 'erasing', mark: 'open' },
  done: { word: 'erased', mark: 'proven' },
  cancelled: { word: 'cancelled', mark: 'none' },
}

/** The name is erased too. */
export function whomText({ person }: Pick<PersonErasure, 'person'>): string {
  return person ?? 'an end user whose name is erased'
}

export function totalOf(counts: readonly ErasureCount[]): string {
  return count(counts.reduce((sum, each) => sum + each.count, 0))
}

/** `grade_notes` as `grade notes`. */
export function kindText(kind: string): string {
  return kind.replaceAll('_', ' ')
}
