import { uuidOf } from '@ratchet/contracts/public-id'
import type { SipTrunk } from '@ratchet/sip/agent/trunks'
import { type StoredNumber, takesCalls } from '../numbers/number.ts'

/** Numbers as trunks of the user agent. */
export function trunkOf(
  { id, workspaceId: owner, settings: { sip } }: StoredNumber,
  password: string | null,
): SipTrunk {
  if (sip === undefined) throw new Error('a number without a trunk is none of the user agent')
  const { username, target, transport, allowed_ips: addresses } = sip
  const credentials = username === null || password === null ? null : { username, password }
  return { id, owner, addresses, target: { ...target, transport }, credentials }
}

export interface Called {
  /** The URI of the request. */
  readonly to: string
  /** Whether the call comes from an address of the number's trunk. */
  readonly isFrom: (number: StoredNumber) => boolean
}

/**
 * The number that is called. Its id names it; the number itself does as long as it is of one workspace only: who says to have
 * the number of another workspace must not get its calls.
 */
export function findNumber(numbers: readonly StoredNumber[], { to, isFrom }: Called): StoredNumber | null {
  const user = userOf(to)
  const id = uuidOf('voiceNumber', user)
  const digits = user.replace(/^(?:\+|00)/, '')
  const isCalled = (number: StoredNumber) => (id === null ? number.e164 === `+${digits}` : number.id === id)
  const called = numbers.filter((number) => isCalled(number) && takesCalls(number) && isFrom(number))
  return called.length === 1 ? (called[0] ?? null) : null
}

/** The number of a caller as its trunk states it; null when it states none. */
export function callerNumber(from: string): string | null {
  const user = userOf(from)
  return /^\+?[0-9*#]{2,32}$/.test(user) ? user : null
}

/** The user of a SIP URI, without its parameters. */
function userOf(uri: string): string {
  const [, user = ''] = /^sips?:([^@;]{1,100})/i.exec(uri) ?? []
  return user
}
