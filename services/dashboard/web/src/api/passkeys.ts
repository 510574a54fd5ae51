import {
  addPasskey as addEndpoint,
  readPasskeyOptions,
  readPasskeySignInOptions,
  signInWithPasskey as signInEndpoint,
} from '@ratchet/contracts/dashboard/sign-in'
import { call } from './call.ts'

const outside = { slug: null } as const

/** Browsers have passkeys only on secure pages, and only newer ones read the options as JSON. */
export function canUsePasskeys(): boolean {
  return typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential
}

export async function signInWithPasskey(): Promise<void> {
  const json = await call(readPasskeySignInOptions, outside)
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    json as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  await call(signInEndpoint, { ...outside, body: { response: asJson(credential) } })
}

export async function addPasskey(name: string): Promise<void> {
  const json = await call(readPasskeyOptions, outside)
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    json as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey })
  await call(addEndpoint, { ...outside, body: { response: asJson(credential), name } })
}

function asJson(credential: Credential | null): Record<string, unknown> {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was used.')
  return credential.toJSON() as unknown as Record<string, unknown>
}
