import type { RequestDraft, SipHeader, SipResponse } from '../message/sip-message.ts'
import { headerOf } from '../message/sip-message.ts'
import { type RandomBytes, randomHex, type SipPeer } from '../ports.ts'
import { answerChallenge, parseChallenge } from '../session/digest.ts'
import type { ClientEvents, ClientTransaction } from '../transactions/client-transaction.ts'
import type { Transactions } from '../transactions/create-transactions.ts'
import type { SipTrunk } from './trunks.ts'

export interface AuthenticatedRequest {
  readonly to: SipPeer
  readonly trunk: SipTrunk
  /** @param authorization to be added after a challenge */
  readonly draft: (authorization: readonly SipHeader[]) => RequestDraft
}

/** A request under way; a challenge starts a second transaction. */
export interface RequestUnderWay {
  cancel(): void
}

export interface RequestDeps {
  readonly transactions: Transactions
  readonly random: RandomBytes
}

/** Sends a request, and once more with credentials when the other side challenges it. */
export function sendRequest(
  { to, trunk, draft }: AuthenticatedRequest,
  events: ClientEvents,
  { transactions, random }: RequestDeps,
): RequestUnderWay {
  const first = draft([])
  let isChallenged = false
  let current: ClientTransaction = transactions.request(first, to, {
    onTimeout: events.onTimeout,
    onResponse(response, from) {
      const authorization = isChallenged ? null : authorizationFor(response, trunk, first, random)
      if (authorization === null) {
        events.onResponse(response, from)
        return
      }
      isChallenged = true
      current = transactions.request(draft([authorization]), to, events)
    },
  })
  return { cancel: () => current.cancel() }
}

function authorizationFor(
  response: SipResponse,
  { credentials }: SipTrunk,
  { method, uri }: RequestDraft,
  random: RandomBytes,
): SipHeader | null {
  const isProxy = response.status === 407
  if (credentials === null || (response.status !== 401 && !isProxy)) return null
  const value = headerOf(response, isProxy ? 'proxy-authenticate' : 'www-authenticate')
  const challenge = value === null ? null : tryParse(value)
  if (challenge === null) return null
  const answer = answerChallenge(challenge, credentials, { method, uri, cnonce: randomHex(random, 8) })
  return { name: isProxy ? 'proxy-authorization' : 'authorization', value: answer }
}

function tryParse(value: string) {
  try {
    return parseChallenge(value)
  } catch {
    return null
  }
}
