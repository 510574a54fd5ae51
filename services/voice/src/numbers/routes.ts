import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import {
  checkNumber,
  createNumber,
  deleteNumber,
  getNumber,
  listNumbers,
  type NumberCheck,
  type UpdateNumber,
  updateNumber,
  type VoiceNumber,
} from '@ratchet/contracts/voice/numbers'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Router } from 'express'
import type { CarrierApi } from '../carriers/carrier-api.ts'
import { carrierUrls } from '../carriers/carrier-urls.ts'
import { requiredVersion, requireVersion } from '../if-match.ts'
import { scopeOf, sees } from '../scope.ts'
import { changedProvider, checkCarrier, providerOf, seal, stated } from './check-provider.ts'
import type { TrunkRules } from './check-trunk.ts'
import { countryOf, destinationProblem } from './destinations.ts'
import { maxNumbers, type NumberTrunk, type StoredNumber } from './number.ts'
import type { NumberStore } from './number-store.ts'

export interface NumberRouteDeps extends OnceDeps, TrunkRules {
  readonly numbers: NumberStore
  readonly secrets: SecretBox
  readonly newId: () => string
  readonly pause: (ms: number) => Promise<void>
  /** `host:port` at which trunks reach workers; null: this installation takes no calls of telephones. */
  readonly sipAddress: string | null
  /** Where carriers reach the voice interface. */
  readonly origin: string
  readonly carriers: CarrierApi
}

/** How long a request waits for a worker that asks the trunk. */
const check = { tries: 32, everyMs: 250 }
/** Each asks a trunk or a carrier, for seconds. */
const checkPlaces = { places: 8, maxOfOwner: 1, maxWaitMs: 10_000, maxWaiting: { ofOwner: 4, ofAll: 200 } }

export function numberRoutes(router: Router, deps: NumberRouteDeps): void {
  const { numbers } = deps
  mount(router, listNumbers, async ({ query, identity }) => {
    const scope = { workspaceId: identity.workspaceId, userId: scopeOf(identity) }
    const { total, numbers: page } = await numbers.list({ ...scope, ...query })
    return pageReply(
      page.map((number) => numberReply(deps, number)),
      total,
      query,
    )
  })
  mount(router, getNumber, async ({ params, identity }) => {
    return numberReply(deps, await requireNumber(numbers, identity, params.id))
  })
  mount(router, deleteNumber, async ({ params: { id }, identity }) => {
    const deleted = await numbers.delete(await requireNumber(numbers, identity, id))
    if (deleted === 'absent') throw notFound('number')
    if (deleted === 'in_use') {
      throw new ServiceError('conflict', 'Calls of the number wait or are under way. Stop them first.')
    }
    return { object: 'number' as const, id, deleted: true as const }
  })
  createRoute(router, deps)
  updateRoute(router, deps)
  checkRoute(router, deps)
}

function createRoute(router: Router, deps: NumberRouteDeps): void {
  const { numbers, newId, now } = deps
  mountJson(router, createNumber, async ({ body, identity, request }) => {
    if (body.sip !== undefined) requireTelephones(deps)
    const country = countryOf(body.e164)
    const countries = body.allowed_countries ?? (country === null ? [] : [country])
    checkFallback(body.fallback_number, countries)
    const { parts, secret } = await providerOf(deps, body)
    const agentId = agentIdOf(body.agent_id)
    const order = { request, identity, endpoint: createNumber.path, body }
    const { answer, headers } = await answerJsonOnce(deps, order, async () => {
      const key = { workspaceId: identity.workspaceId, id: newId() }
      const created = await numbers.create({
        ...key,
        userId: identity.userId,
        e164: body.e164,
        provider: body.provider,
        agentId,
        agentOwner: scopeOf(identity),
        direction: body.direction,
        settings: { ...limitsOf(body), allowed_countries: countries, ...parts },
        secret: secret === null ? null : seal(deps, key, secret),
        at: now(),
      })
      if (created === 'name') {
        throw new ServiceError('conflict', `The workspace has ${body.e164} already.`, { param: 'e164' })
      }
      if (created === 'full') {
        throw new ServiceError('conflict', `A workspace may have ${maxNumbers} numbers; remove one first.`)
      }
      if (created === 'no_agent') throw notFound('agent', 'agent_id')
      return { id: key.id }
    })
    const number = await requireNumber(numbers, identity, publicId('voiceNumber', answer.id))
    return { headers, reply: numberReply(deps, number) }
  })
}

function updateRoute(router: Router, deps: NumberRouteDeps): void {
  const { numbers, now } = deps
  mountJson(router, updateNumber, async ({ body, params, identity, request }) => {
    const number = await requireNumber(numbers, identity, params.id)
    requireVersion(number.version, requiredVersion(request))
    const { agent_id, direction = number.direction } = body
    const { parts, secret } = await changedProvider(deps, number, body)
    const after = { ...number.settings, ...stated(limitsOf(body)), ...parts }
    checkFallback(after.fallback_number ?? null, after.allowed_countries)
    const updated = await numbers.update(number, {
      agentId: agent_id === undefined ? number.agentId : agentIdOf(agent_id),
      agentOwner: agent_id === undefined ? null : scopeOf(identity),
      direction,
      settings: after,
      secret,
      at: now(),
    })
    if (updated === 'no_agent') throw notFound('agent', 'agent_id')
    if (updated === 'changed') throw new ServiceError('conflict', 'The number was changed at the same time. Retry.')
    return { reply: numberReply(deps, await requireNumber(numbers, identity, params.id)) }
  })
}

function checkRoute(router: Router, deps: NumberRouteDeps): void {
  const { numbers } = deps
  const places = createFairPlaces(checkPlaces)
  mount(router, checkNumber, async ({ params, identity }) => {
    const number = await requireNumber(numbers, identity, params.id)
    return places.run(identity.workspaceId, () =>
      number.provider === 'sip' ? checkTrunk(deps, number) : checkCarrier(deps, number),
    )
  })
}

async function checkTrunk({ numbers, pause }: NumberRouteDeps, number: StoredNumber): Promise<NumberCheck> {
  await numbers.askCheck(number)
  for (let tried = 0; tried < check.tries; tried++) {
    const checked = await numbers.checked(number)
    if (checked !== null) {
      const { answeredMs, at } = checked
      const found = { ok: answeredMs !== null, answered_ms: answeredMs, checked_at: at.toISOString() }
      return { object: 'number.check' as const, ...found }
    }
    await pause(check.everyMs)
  }
  throw new ServiceError('service_unavailable', 'No worker asks trunks at the moment.', { retryAfterSeconds: 5 })
}

function requireTelephones({ sipAddress }: NumberRouteDeps): void {
  if (sipAddress !== null) return
  throw new ServiceError('insufficient_permissions', 'This installation takes no calls of telephones.')
}

/** @throws ServiceError `insufficient_permissions` for a fallback that the number may not call */
function checkFallback(fallback: string | null, countries: readonly string[]): void {
  const problem = fallback === null ? null : destinationProblem(fallback, countries)
  if (problem === null) return
  throw new ServiceError('insufficient_permissions', `\`fallback_number\` is not allowed: ${problem}.`, {
    param: 'fallback_number',
  })
}

type Limits = Pick<
  UpdateNumber,
  'allowed_countries' | 'fallback_number' | 'max_calls_per_second' | 'max_concurrent' | 'daily_spend_usd'
>

function limitsOf<T extends Limits>(body: T) {
  const { allowed_countries, fallback_number, max_calls_per_second, max_concurrent, daily_spend_usd } = body
  const limits = { allowed_countries, fallback_number, max_calls_per_second, max_concurrent, daily_spend_usd }
  return limits as Pick<T, keyof typeof limits>
}

/** @throws ServiceError `not_found` for what is no id of an agent */
function agentIdOf(publicAgentId: string | null): string | null {
  if (publicAgentId === null) return null
  const id = uuidOf('agent', publicAgentId)
  if (id === null) throw notFound('agent', 'agent_id')
  return id
}

function numberReply({ sipAddress, origin }: NumberRouteDeps, number: StoredNumber): VoiceNumber {
  const { allowed_countries, fallback_number = null, sip, twilio, telnyx, ...limits } = number.settings
  const { voiceUrl: voice_url } = carrierUrls(origin, number, null)
  const id = publicId('voiceNumber', number.id)
  return {
    object: 'number',
    id,
    e164: number.e164,
    provider: number.provider,
    agent_id: number.agentId === null ? null : publicId('agent', number.agentId),
    direction: number.direction,
    allowed_countries: [...allowed_countries],
    fallback_number,
    ...limits,
    twilio: twilio === undefined ? null : { ...twilio, voice_url },
    telnyx: telnyx === undefined ? null : { ...telnyx, voice_url },
    sip: sip === undefined ? null : trunkReply(sip, `sip:${id}@${sipAddress ?? 'invalid'}`),
    version: number.version,
    created_at: number.createdAt.toISOString(),
    updated_at: number.updatedAt.toISOString(),
  }
}

function trunkReply({ termination_uri, transport, allowed_ips, username }: NumberTrunk, inbound_uri: string) {
  return { termination_uri, transport, allowed_ips: [...allowed_ips], username, inbound_uri }
}

/** @throws ServiceError `not_found`, also for a number of another workspace */
export async function requireNumber(
  numbers: Pick<NumberStore, 'get'>,
  identity: Identity,
  publicNumberId: string,
  param?: string,
): Promise<StoredNumber> {
  const id = uuidOf('voiceNumber', publicNumberId)
  const number = id === null ? null : await numbers.get({ workspaceId: identity.workspaceId, id })
  if (number === null || !sees(identity, number)) throw notFound('number', param)
  return number
}
