import { timingSafeEqual } from 'node:crypto'
import { hmacSha256 } from '@ratchet/service-kit/identity/hmac-sha256'

/** One start of a trainer for a job. */
export interface AttemptId {
  /** UUID. */
  readonly jobId: string
  /** From 1; a later attempt has a higher one. */
  readonly generation: number
}

/** Makes and checks the tokens of attempts. A token proves an attempt, and is good for as long as the attempt runs. */
export interface JobTokens {
  issue(attempt: AttemptId): string
  /** The attempt of a token; null for one that was not issued here. */
  verify(token: string): AttemptId | null
}

const format = /^rtj1\.([0-9a-f]{32})\.([1-9][0-9]{0,8})\.([0-9a-f]{64})$/

/** @param keys 32 bytes each. The first signs, all verify: put a new one in front to rotate. */
export function createJobTokens(keys: readonly [Uint8Array, ...Uint8Array[]]): JobTokens {
  const [sign, ...others] = keys.map(hmacSha256) as [ReturnType<typeof hmacSha256>, ...ReturnType<typeof hmacSha256>[]]
  const textOf = (digits: string, generation: string) => JSON.stringify(['ratchet job v1', digits, generation])
  return {
    issue({ jobId, generation }) {
      const digits = jobId.replaceAll('-', '')
      return `rtj1.${digits}.${generation}.${sign(textOf(digits, String(generation))).toString('hex')}`
    },
    verify(token) {
      const [, digits, generation, mac] = format.exec(token) ?? []
      if (digits === undefined || generation === undefined || mac === undefined) return null
      const given = Buffer.from(mac, 'hex')
      const text = textOf(digits, generation)
      if (![sign, ...others].some((each) => timingSafeEqual(each(text), given))) return null
      return {
        jobId: digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
        generation: Number(generation),
      }
    },
  }
}
