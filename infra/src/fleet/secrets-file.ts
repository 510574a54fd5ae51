import { randomBytes } from 'node:crypto'
import { mintApiKey } from '@ratchet/contracts/api-key'
import { brandOf } from '@ratchet/contracts/brand'
import { mintVoiceKey } from '@ratchet/contracts/voice/voice-key'
import { type NamedKey, parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { readJson, writePrivateJson } from './fleet-file.ts'

/** Created at the first start on a data folder and stored with its data. */
export interface Secrets {
  readonly postgres_password: string
  readonly redis_password: string
  /** `k1:<base64 of 32 bytes>`. */
  readonly identity_master_keys: string
  /** In the same form. Provider keys in the database are encrypted with them. */
  readonly encryption_keys: string
  /** Signs the cookies of people who signed in. */
  readonly auth_secret: string
  /** Of the demo workspace's owner, until that chooses another one. */
  readonly owner_password: string
  readonly api_key: string
  readonly member_api_key: string
  /** For the voice interface. */
  readonly voice_api_key: string
}

/** Reads the secrets of a data folder and creates missing ones. A new brand word replaces the API keys. */
export function loadSecrets(file: string, brandWord: string | undefined): Secrets {
  const { keyPrefix } = brandOf(brandWord)
  const kept = readJson<Partial<Secrets>>(file) ?? {}
  const apiKey = (key: string | undefined) =>
    key?.startsWith(keyPrefix) === true ? key : mintApiKey(keyPrefix, randomBytes)
  const secrets: Secrets = {
    postgres_password: kept.postgres_password ?? newPassword(),
    redis_password: kept.redis_password ?? newPassword(),
    identity_master_keys: kept.identity_master_keys ?? newNamedKeys(),
    encryption_keys: kept.encryption_keys ?? newNamedKeys(),
    auth_secret: kept.auth_secret ?? newPassword(),
    owner_password: kept.owner_password ?? newPassword(),
    api_key: apiKey(kept.api_key),
    member_api_key: apiKey(kept.member_api_key),
    voice_api_key: kept.voice_api_key ?? mintVoiceKey('live', randomBytes),
  }
  saveSecrets(file, secrets)
  return secrets
}

export function saveSecrets(file: string, secrets: Secrets): void {
  writePrivateJson(file, secrets)
}

/** 32 letters, digits, `-` and `_`. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** Creates a key in the form that services read. */
export function newNamedKeys(): string {
  return `k1:${randomBytes(32).toString('base64')}`
}

/** The keys of a fleet, parsed. */
export function keysOf(secrets: Secrets): {
  readonly masterKeys: readonly NamedKey[]
  readonly encryptionKeys: readonly NamedKey[]
  readonly authSecret: string
} {
  return {
    masterKeys: parseNamedKeys(secrets.identity_master_keys),
    encryptionKeys: parseNamedKeys(secrets.encryption_keys),
    authSecret: secrets.auth_secret,
  }
}
