import { timingSafeEqual } from 'node:crypto'
import { hmacSha256 } from '@ratchet/service-kit/identity/hmac-sha256'
import type { Content } from './artifact-store.ts'

/** What a signed path allows: one method for one content, until it expires. */
export interface SignedAccess extends Content {
  readonly method: 'get' | 'put'
  /** Who uploads; empty for `get`. */
  readonly scope: string
  /** Unix time, seconds. */
  readonly expires: number
}

/** Signs and checks the URLs under which `training` itself serves the content of a directory. */
export interface PathSigner {
  /** Path and query, at the address of `training`. */
  sign(access: SignedAccess): string
  /** Whether the signature is one of {@link PathSigner.sign} for this access, and has not expired. */
  verify(access: SignedAccess, signature: string, now: Date): boolean
}

export const artifactPath = '/internal/trainer/v1/artifacts'

/** @param keys 32 bytes each. The first signs, all verify: put a new one in front to rotate. */
export function createPathSigner(keys: readonly [Uint8Array, ...Uint8Array[]]): PathSigner {
  const [first, ...others] = keys.map(hmacSha256)
  const macs = [first as NonNullable<typeof first>, ...others]
  const textOf = ({ method, sha256, bytes, scope, expires }: SignedAccess) =>
    JSON.stringify(['ratchet artifact v2', method, sha256, bytes, scope, expires])
  return {
    sign(access) {
      const { method, sha256, bytes, scope, expires } = access
      const signature = macs[0]?.(textOf(access)).toString('hex') ?? ''
      const query = `method=${method}&bytes=${bytes}&scope=${scope}&expires=${expires}&signature=${signature}`
      return `${artifactPath}/${sha256}?${query}`
    },
    verify(access, signature, now) {
      if (now.getTime() > access.expires * 1_000 || !/^[0-9a-f]{64}$/.test(signature)) return false
      const given = Buffer.from(signature, 'hex')
      const text = textOf(access)
      return macs.some((mac) => timingSafeEqual(mac(text), given))
    },
  }
}
