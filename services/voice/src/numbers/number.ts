import type { NumberProvider } from '@ratchet/contracts/voice/number-providers'
import type { CreateNumber, NewTrunk, NumberDirection } from '@ratchet/contracts/voice/numbers'
import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'

/** The trunk of a number, as it is stored. */
export interface NumberTrunk extends Omit<NewTrunk, 'auth'> {
  readonly username: string | null
  /** The IP address and port that `termination_uri` meant when it was stated. */
  readonly target: { readonly host: string; readonly port: number }
}

/** Everything of a number that may be shown, but what has a column of its own. */
export interface NumberSettings
  extends Pick<CreateNumber, 'max_calls_per_second' | 'max_concurrent' | 'daily_spend_usd'> {
  readonly allowed_countries: readonly string[]
  /** Numbers from before it have none. */
  readonly fallback_number?: string | null
  /** Of the provider `sip`. */
  readonly sip?: NumberTrunk
  readonly twilio?: Omit<NonNullable<CreateNumber['twilio']>, 'auth_token'>
  readonly telnyx?: Omit<NonNullable<CreateNumber['telnyx']>, 'api_key'>
}

export interface NumberKey {
  readonly workspaceId: string
  /** UUID. */
  readonly id: string
}

export interface StoredNumber extends NumberKey {
  readonly userId: string
  readonly e164: string
  readonly provider: NumberProvider
  /** UUID; null: no agent answers calls to it. */
  readonly agentId: string | null
  readonly direction: NumberDirection
  readonly settings: NumberSettings
  /** The password of the trunk, or what authorizes us at the carrier. */
  readonly secret: SealedSecret | null
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Most numbers of a workspace. */
export const maxNumbers = 200

export const takesCalls = ({ direction }: Pick<StoredNumber, 'direction'>): boolean => direction !== 'outbound'
export const makesCalls = ({ direction }: Pick<StoredNumber, 'direction'>): boolean => direction !== 'inbound'
