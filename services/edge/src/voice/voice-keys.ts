import type { Identity } from '@ratchet/contracts/identity'
import type { VoiceEnvironment } from '@ratchet/contracts/voice/voice-key'

/** Whom a voice key stands for. */
export interface VoiceCaller extends Pick<Identity, 'workspaceId' | 'userId' | 'role'> {
  readonly keyId: string
  readonly env: VoiceEnvironment
  /** `user`: it sees what its user created. */
  readonly scope: 'workspace' | 'user'
}

export interface VoiceKeyStore {
  /**
   * @param hash SHA-256 of the key
   * @returns null for a key that is unknown, revoked, expired or of another interface
   */
  find(hash: Uint8Array): Promise<VoiceCaller | null>
}
