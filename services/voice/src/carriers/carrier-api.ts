import type { StreamCarrier } from '@ratchet/contracts/voice/number-providers'
import { voiceNumberPlace } from '@ratchet/contracts/voice/voice-number-place'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { type CollectedAnswer, collectAnswer } from '@ratchet/http/collect-answer'
import { createGuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'
import type { StoredNumber } from '../numbers/number.ts'

export interface CarrierApiDeps {
  /** Where the carriers are. */
  readonly origins: Readonly<Record<StreamCarrier, string>>
  readonly rules: BaseUrlRules
}

export const carrierOrigins: Readonly<Record<StreamCarrier, string>> = {
  twilio: 'https://api.twilio.com',
  telnyx: 'https://api.telnyx.com',
}

/** A number of an account at a carrier, with what authorizes us there. */
export type CarrierAccount = Pick<StoredNumber, 'e164' | 'settings'> & { readonly secret: string }

export interface DialOrder {
  readonly to: string
  /** What the carrier asks when the other side has answered. */
  readonly voiceUrl: string
  /** What it tells how far the call is. */
  readonly statusUrl: string
  readonly ringSeconds: number
  readonly maxSeconds: number
}

/** Whether a carrier took an order, refused it, or did not say: it may have taken it. */
export type Dialed =
  /** The id is null when the carrier states it only later. */
  | { readonly kind: 'dialed'; readonly carrierCallId: string | null }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'unknown' }

/** Requests to the APIs of carriers. */
export interface CarrierApi {
  /** Whether the account has the number. @throws CallFailed when the carrier does not answer */
  hasNumber(account: CarrierAccount): Promise<boolean>
  /** Dials once. */
  dial(account: CarrierAccount, order: DialOrder): Promise<Dialed>
  /** Ends a call at the carrier. @returns whether the carrier took it */
  hangUp(account: CarrierAccount, carrierCallId: string): Promise<boolean>
}

const timeoutMs = 10_000
const maxBytes = 256 * 1024

/** What authorizes us at the carrier of a number. @throws SecretUnreadable */
export function accountOf(number: StoredNumber, secrets: Pick<SecretBox, 'open'>): CarrierAccount {
  if (number.secret === null) throw new Error('a number of a carrier has no secret')
  return { e164: number.e164, settings: number.settings, secret: secrets.open(number.secret, voiceNumberPlace(number)) }
}

export function createCarrierApi(deps: CarrierApiDeps): CarrierApi {
  return {
    async hasNumber(account) {
      const answer = await send(deps, account, { method: 'GET', path: numberPath(account) })
      if (answer.status >= 500) throw new Error(`the carrier answered ${answer.status}`)
      return answer.status === 200 && numbersOf(answer).includes(account.e164)
    },
    async dial(account, order) {
      const answer = await send(deps, account, dialRequest(account, order)).catch(() => null)
      if (answer === null || answer.status >= 500) return { kind: 'unknown' }
      if (answer.status >= 300) return { kind: 'refused', status: answer.status }
      const { sid, call_sid = sid } = objectOf(answer)
      return { kind: 'dialed', carrierCallId: typeof call_sid === 'string' ? call_sid : null }
    },
    async hangUp(account, carrierCallId) {
      const path = `${callsPath(account).replace(/\.json$/, '')}/${encodeURIComponent(carrierCallId)}`
      const suffix = account.settings.twilio === undefined ? '' : '.json'
      const body = formOf([['Status', 'completed']])
      return (await send(deps, account, { method: 'POST', path: `${path}${suffix}`, ...body })).status < 300
    },
  }
}

interface CarrierRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly type?: string
  readonly body?: string
}

async function send(
  { origins, rules }: CarrierApiDeps,
  account: CarrierAccount,
  { method, path, type, body = '' }: CarrierRequest,
): Promise<CollectedAnswer> {
  const { twilio } = account.settings
  const carrier = twilio === undefined ? 'telnyx' : 'twilio'
  const { upstream, basePath } = createGuardedUpstream({
    baseUrl: origins[carrier],
    rules,
    connections: 1,
    connectTimeoutMs: timeoutMs,
  })
  const login = twilio === undefined ? '' : Buffer.from(`${twilio.account_sid}:${account.secret}`).toString('base64')
  try {
    const request = {
      method,
      path: basePath + path,
      headers: {
        authorization: twilio === undefined ? `Bearer ${account.secret}` : `Basic ${login}`,
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      body: body === '' ? null : Buffer.from(body),
      clocks: { firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs },
    }
    return await collectAnswer(upstream, request, { maxBytes })
  } finally {
    await upstream.destroy()
  }
}

function numberPath({ e164, settings: { twilio } }: CarrierAccount): string {
  const number = encodeURIComponent(e164)
  if (twilio === undefined) return `/v2/phone_numbers?filter%5Bphone_number%5D=${number}`
  return `/2010-04-01/Accounts/${twilio.account_sid}/IncomingPhoneNumbers.json?PhoneNumber=${number}`
}

function callsPath({ settings: { twilio, telnyx } }: CarrierAccount): string {
  if (twilio !== undefined) return `/2010-04-01/Accounts/${twilio.account_sid}/Calls.json`
  return `/v2/texml/Accounts/${encodeURIComponent(telnyx?.account_sid ?? '')}/Calls`
}

const callEvents = ['initiated', 'ringing', 'answered', 'completed']

/** Twilio takes forms with repeated fields, Telnyx takes JSON with the same names. */
function dialRequest(account: CarrierAccount, order: DialOrder): CarrierRequest {
  const { telnyx } = account.settings
  const fields = [
    ['To', order.to],
    ['From', account.e164],
    ['Url', order.voiceUrl],
    ['StatusCallback', order.statusUrl],
  ] as const
  const target = { method: 'POST', path: callsPath(account) } as const
  const { ringSeconds: Timeout, maxSeconds: TimeLimit } = order
  if (telnyx === undefined) {
    const events = callEvents.map((event) => ['StatusCallbackEvent', event] as const)
    const limits = [['Timeout', String(Timeout)] as const, ['TimeLimit', String(TimeLimit)] as const]
    return { ...target, ...formOf([...fields, ...events, ...limits]) }
  }
  const more = { ApplicationSid: telnyx.application_sid, StatusCallbackEvent: callEvents.join(' '), Timeout, TimeLimit }
  return { ...target, type: 'application/json', body: JSON.stringify({ ...Object.fromEntries(fields), ...more }) }
}

function formOf(fields: readonly (readonly [string, string])[]): { readonly type: string; readonly body: string } {
  const form = new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]))
  return { type: 'application/x-www-form-urlencoded', body: form.toString() }
}

function objectOf({ body }: CollectedAnswer): Readonly<Record<string, unknown>> {
  const parsed = parseJson(body.toString())
  return isObject(parsed) ? parsed : {}
}

function numbersOf(answer: CollectedAnswer): readonly unknown[] {
  const { incoming_phone_numbers: twilio, data: telnyx } = objectOf(answer)
  const list = Array.isArray(twilio) ? twilio : Array.isArray(telnyx) ? telnyx : []
  return list.map((each) => (isObject(each) ? each.phone_number : null))
}
