import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import type { CallKey, SpokenNow } from './call.ts'

/** Encrypts what an agent is saying while it is stored: it may say the value of a secret variable. */
export interface SpokenSeal {
  /** Base64. */
  seal(call: CallKey, spokenNow: SpokenNow): string
  /** @returns null when it cannot be read: then it is not known what the caller heard of it */
  open(call: CallKey, sealed: string): SpokenNow | null
}

/** What the keys of {@link createSpokenSeal} seal. */
export const spokenSealPurpose = 'spoken now'

export function createSpokenSeal(bytes: ByteSeal): SpokenSeal {
  const placeOf = ({ workspaceId, id }: CallKey) => `${workspaceId} ${id}`
  return {
    seal: (call, spokenNow) => bytes.seal(Buffer.from(JSON.stringify(spokenNow)), placeOf(call)).toString('base64'),
    open(call, sealed) {
      try {
        return JSON.parse(bytes.open(Buffer.from(sealed, 'base64'), placeOf(call)).toString()) as SpokenNow
      } catch (error) {
        if (error instanceof SecretUnreadable) return null
        throw error
      }
    },
  }
}
