import type { NameAddress, Via } from './header-values.ts'

/** One header line. */
export interface SipHeader {
  /** In small letters, never the compact form. */
  readonly name: string
  readonly value: string
}

interface SipMessageParts {
  readonly headers: readonly SipHeader[]
  /** The newest first. At least one. */
  readonly via: readonly [Via, ...Via[]]
  readonly from: NameAddress
  readonly to: NameAddress
  readonly callId: string
  readonly cseq: { readonly number: number; readonly method: string }
  readonly body: string
}

export interface SipRequest extends SipMessageParts {
  readonly kind: 'request'
  readonly method: string
  readonly uri: string
}

export interface SipResponse extends SipMessageParts {
  readonly kind: 'response'
  /** 100 to 699. */
  readonly status: number
  readonly reason: string
}

/** A message as it arrived (RFC 3261, section 7). */
export type SipMessage = SipRequest | SipResponse

/** The first value of a header, or null. @param name in small letters */
export function headerOf({ headers }: { readonly headers: readonly SipHeader[] }, name: string): string | null {
  return headers.find((header) => header.name === name)?.value ?? null
}

/** A request of ours, before a transaction adds its Via and its length. */
export interface RequestDraft {
  readonly method: string
  readonly uri: string
  readonly headers: readonly SipHeader[]
  readonly body: string
}

/** An answer of ours. Via, From, To, Call-ID and CSeq are those of the request. */
export interface ResponseDraft {
  readonly status: number
  readonly headers?: readonly SipHeader[]
  readonly body?: string
}
