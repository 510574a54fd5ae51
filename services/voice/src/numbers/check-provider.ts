import type { CreateNumber, NewTrunk, NumberCheck, UpdateNumber } from '@ratchet/contracts/voice/numbers'
import { voiceNumberPlace } from '@ratchet/contracts/voice/voice-number-place'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { accountOf, type CarrierAccount, type CarrierApi } from '../carriers/carrier-api.ts'
import { checkAddresses, type TrunkRules, targetOf } from './check-trunk.ts'
import type { NumberKey, NumberSettings, NumberTrunk, StoredNumber } from './number.ts'

export interface ProviderDeps extends TrunkRules {
  readonly carriers: CarrierApi
  readonly secrets: SecretBox
  readonly now: () => Date
}

type Parts = Pick<NumberSettings, 'sip' | 'twilio' | 'telnyx'>

/**
 * What connects a new number: a trunk, or an account at a carrier, which must have the number.
 *
 * @throws ServiceError that names what is wrong
 */
export async function providerOf(
  deps: ProviderDeps,
  body: CreateNumber,
): Promise<{ readonly parts: Parts; readonly secret: string | null }> {
  const { sip } = body
  if (sip !== undefined) {
    const parts = { sip: await trunkOf(deps, sip, sip.auth?.username ?? null) }
    return { parts, secret: sip.auth?.password ?? null }
  }
  const { parts, secret } = accountParts(body)
  await requireOwned(deps, { e164: body.e164, settings: parts as NumberSettings, secret })
  return { parts, secret }
}

/**
 * The same after a change.
 *
 * @throws ServiceError that names what is wrong
 */
export async function changedProvider(
  deps: ProviderDeps,
  number: StoredNumber,
  body: UpdateNumber,
): Promise<{ readonly parts: Parts; readonly secret: StoredNumber['secret'] }> {
  for (const name of ['sip', 'twilio', 'telnyx'] as const) {
    if (body[name] === undefined || name === number.provider) continue
    throw invalidRequest(name, `\`${name}\` is of another provider than the number.`)
  }
  const { sip } = number.settings
  if (sip !== undefined) return changedTrunk(deps, { ...number, trunk: sip }, body.sip ?? {})
  if (body.twilio === undefined && body.telnyx === undefined) return { parts: {}, secret: number.secret }
  const { parts, secret } = accountParts(body)
  await requireOwned(deps, { e164: number.e164, settings: parts as NumberSettings, secret })
  return { parts, secret: seal(deps, number, secret) }
}

async function changedTrunk(
  deps: ProviderDeps,
  { trunk: before, ...number }: StoredNumber & { readonly trunk: NumberTrunk },
  { auth, ...trunk }: NonNullable<UpdateNumber['sip']>,
) {
  const isElsewhere = trunk.termination_uri !== undefined && trunk.termination_uri !== before.termination_uri
  if (isElsewhere && number.secret !== null && auth === undefined) {
    // It would be used at another address than that for which it was stated.
    throw invalidRequest('sip.auth', '`sip.auth` must be stated again, because `sip.termination_uri` is another one.')
  }
  const username = auth === undefined ? before.username : (auth?.username ?? null)
  const sip =
    isElsewhere || trunk.allowed_ips !== undefined || trunk.transport !== undefined
      ? await trunkOf(deps, { ...before, ...stated(trunk) }, username)
      : { ...before, username }
  const sealed = auth === undefined ? number.secret : auth === null ? null : seal(deps, number, auth.password)
  return { parts: { sip }, secret: sealed }
}

/** Asks the carrier of a number whether the account still has it. */
export async function checkCarrier(
  { carriers, secrets, now }: ProviderDeps,
  number: StoredNumber,
): Promise<NumberCheck> {
  const startedMs = performance.now()
  const isOwned = await carriers.hasNumber(accountOf(number, secrets)).catch(() => false)
  const answered_ms = isOwned ? Math.round(performance.now() - startedMs) : null
  return { object: 'number.check', ok: isOwned, answered_ms, checked_at: now().toISOString() }
}

function accountParts({ twilio, telnyx }: Pick<CreateNumber, 'twilio' | 'telnyx'>) {
  if (twilio !== undefined) {
    const { auth_token: secret, ...account } = twilio
    return { parts: { twilio: account } as Parts, secret }
  }
  if (telnyx === undefined) throw new Error('a number has a provider')
  const { api_key: secret, ...account } = telnyx
  return { parts: { telnyx: account } as Parts, secret }
}

/** Who does not have a number must not get its calls. */
async function requireOwned({ carriers }: ProviderDeps, account: CarrierAccount): Promise<void> {
  const isOwned = await carriers.hasNumber(account).catch((cause: unknown) => {
    const message = 'The carrier does not answer at the moment. Retry.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 5, cause })
  })
  if (isOwned) return
  throw invalidRequest(
    'e164',
    '`e164`: the account at the carrier does not have this number, or refuses these credentials.',
  )
}

async function trunkOf(
  deps: TrunkRules,
  { termination_uri, transport, allowed_ips }: Omit<NewTrunk, 'auth'>,
  username: string | null,
): Promise<NumberTrunk> {
  checkAddresses(allowed_ips, deps)
  return { termination_uri, transport, allowed_ips, username, target: await targetOf(termination_uri, deps) }
}

export function seal({ secrets }: Pick<ProviderDeps, 'secrets'>, key: NumberKey, secret: string) {
  return secrets.seal(secret, voiceNumberPlace(key))
}

type Stated<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The fields that a change has. */
export function stated<T extends object>(changes: T): Stated<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Stated<T>
}
