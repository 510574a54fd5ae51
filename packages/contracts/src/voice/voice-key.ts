import { isWellFormedApiKey, mintApiKey } from '../api-key.ts'

/** `test`: calls of the key reach nobody. */
export const voiceEnvironments = ['live', 'test'] as const
export type VoiceEnvironment = (typeof voiceEnvironments)[number]

const prefixOf = (env: VoiceEnvironment) => `ck_${env}_`

/**
 * Builds a key of the voice interface: `ck_live_` or `ck_test_`, 32 base62 characters and a checksum of 6.
 *
 * @param randomBytes returns uniform bytes 0..255 and is called as often as needed
 */
export function mintVoiceKey(env: VoiceEnvironment, randomBytes: (count: number) => Uint8Array): string {
  return mintApiKey(prefixOf(env), randomBytes)
}

/** The environment of a text with the shape and checksum of a key; null for any other. It does not show that the key is valid. */
export function voiceKeyEnvironment(key: string): VoiceEnvironment | null {
  return voiceEnvironments.find((env) => isWellFormedApiKey(prefixOf(env), key)) ?? null
}
