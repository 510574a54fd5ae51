import { randomUUID } from 'node:crypto'
import type { DashboardEndpoint, DashboardPermission } from '@ratchet/contracts/dashboard/dashboard-endpoint'
import { dashboardEndpoints } from '@ratchet/contracts/dashboard/dashboard-endpoints'
import { type Endpoint, operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { sessionEndpoints } from '@ratchet/contracts/session-endpoints'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { signIdentity } from '@ratchet/service-kit/identity/identity'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { type Fleet, startFleet } from './fleet.ts'
import {
  createOwnThings,
  digestOfState,
  type OwnReference,
  type OwnThings,
  ownReferencesOf,
  pathOf,
  validBodyOf,
} from './people/dashboard-things.ts'
import { createReviewThings } from './people/review-things.ts'
import { type People, type PersonName, signInPeople } from './people/sign-in-people.ts'
import { createVoiceThings } from './people/voice-things.ts'
import { type PageRequest, sendFromPage } from './signed-in.ts'
import { absentName } from './tenants/absent-name.ts'
import { askForAnswer } from './tenants/ask-for.ts'
import { findLeaks, type SeenAnswer } from './tenants/find-leaks.ts'
import { createTenant, type Tenant, type Things } from './tenants/own-things.ts'
import { type Reference, referencesOf } from './tenants/references.ts'

/*
 * Every endpoint for people, tried by everybody who must not pass: made from the lists of endpoints, so that a new endpoint is
 * tried without a new test, and one that names objects fails here until it is listed what it names.
 */

let fleet: Fleet
let pool: Pool
let victim: Tenant
let other: Tenant
let people: People
let victims: People
let things: OwnThings
let foreignThings: OwnThings
/** Names of what endpoints of services read, of the person who asks and of the other workspace. */
let named: { readonly own: Things; readonly foreign: Things }

beforeAll(async () => {
  const env = { ABUSE_GUARD_LIMIT: '10000', WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
  fleet = await startFleet({
    judges: true,
    evals: true,
    aliases: true,
    training: true,
    dashboard: true,
    voice: true,
    env,
  })
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 4 })
  ;[victim, other] = await Promise.all([createTenant(fleet, 'victim'), createTenant(fleet, 'others')])
  people = await signInPeople(fleet, pool, other.workspace)
  victims = await signInPeople(fleet, pool, victim.workspace)
  things = await createOwnThings(fleet, pool, { workspace: other.workspace, owner: people.owner })
  foreignThings = await createOwnThings(fleet, pool, { workspace: victim.workspace, owner: victims.owner })
  const ofReview = await Promise.all([
    createReviewThings(fleet, other, people.owner),
    createReviewThings(fleet, victim, victims.owner),
  ])
  const ofVoice = await Promise.all([
    createVoiceThings(pool, other.workspace),
    createVoiceThings(pool, victim.workspace),
  ])
  named = {
    own: { ...other.things, ...ofReview[0], ...ofVoice[0] },
    foreign: { ...victim.things, ...ofReview[1], ...ofVoice[1] },
  }
}, 240_000)
afterAll(async () => {
  await pool?.end()
  await fleet?.stop()
}, 180_000)

/** What a person can call, with the path at the dashboard. */
interface Target {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly permission: DashboardPermission
  readonly needsFreshSignIn: boolean
  /** Null for an endpoint of a service, behind the session listener of the edge. */
  readonly own: DashboardEndpoint | null
  readonly audience: Endpoint['audience'] | 'dashboard'
}

const ofDashboard = dashboardEndpoints.map((own): Target => {
  const { method, path, permission, needsFreshSignIn } = own
  return { name: operationName(own), method, path, permission, needsFreshSignIn, own, audience: 'dashboard' }
})
const ofServices = [...endpoints, ...sessionEndpoints]
  .filter(({ path }) => /^\/(v1|session)\//.test(path))
  .map(({ method, path, permission, needsFreshSignIn, audience }): Target => {
    const name = operationName({ method, path })
    return { name, method, path: `/api/w/:slug${path}`, permission, needsFreshSignIn, own: null, audience }
  })
const targets = [...ofDashboard, ...ofServices]
const titled = (target: Target): [string, Target] => [`${target.audience} ${target.name}`, target]
const isUnsafe = ({ method }: Target) => method !== 'get'

const send = (target: Target, request: PageRequest = {}, slug = other.workspace.slug) =>
  sendFromPage(fleet, pathOf(target, slug), { method: target.method.toUpperCase(), ...request })

const errorOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { readonly error: { readonly code: string; readonly param?: string } }
  return [answer.status, error.code, error.param ?? null]
}

describe('an API key', () => {
  const withKey = async (path: string, method: string, more: Record<string, string> = {}): Promise<SeenAnswer> => {
    const headers = { authorization: `Bearer ${other.workspace.apiKey}`, ...more }
    const answer = await fetch(`${fleet.url}${path}`, { method: method.toUpperCase(), headers })
    const seen = Object.fromEntries(answer.headers)
    return { status: answer.status, headers: seen, body: await answer.text(), asked: path }
  }

  /** A header that the session listener would accept, and others that nobody would. */
  function identities(method: string, path: string): readonly Record<string, string>[] {
    const { workspaceId, userId } = other.workspace
    const session = { id: randomUUID(), mayGrade: true, isFresh: true }
    const identity: Identity = { workspaceId, userId, role: 'owner', keyId: null, session }
    const requestId = randomUUID()
    const signed = signIdentity(
      keyOfCaller(fleet.keyFor('edge'), 'dashboard'),
      { audience: 'edge', requestId, method: method.toUpperCase(), path },
      identity,
      Date.now(),
    )
    return [
      { [identityHeader]: signed, [requestIdHeader]: requestId },
      { [identityHeader]: 'v1.forged', [requestIdHeader]: requestId },
      { [identityHeader]: Buffer.from(JSON.stringify(identity)).toString('base64url') },
      { cookie: people.owner.cookie },
    ]
  }

  it.each(sessionEndpoints.map((each): [string, Endpoint] => [operationName(each), each]))(
    'of an owner cannot tell an endpoint for people from nonsense, nor with an identity of its own: %s',
    async (_name, endpoint) => {
      const path = pathOf(endpoint, '')
      const nonsense = await withKey(`/session/${randomUUID()}`, endpoint.method)
      expect([nonsense.status, nonsense.body.includes('unknown_url')]).toEqual([404, true])
      for (const more of [{}, ...identities(endpoint.method, path)]) {
        expect(findLeaks(await withKey(path, endpoint.method, more), nonsense)).toEqual([])
      }
    },
  )

  it.each(targets.filter(({ permission }) => permission !== 'anyone').map(titled))(
    'is nothing at the dashboard: %s',
    async (_name, target) => {
      const { apiKey } = other.workspace
      const headers = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey }
      const answer = await send(target, { headers })
      expect((await errorOf(answer)).slice(0, 2)).toEqual([401, 'not_signed_in'])
    },
  )
})

describe('a cookie', () => {
  it.each(endpoints.map((each): [string, Endpoint] => [operationName(each), each]))(
    'is no key: %s',
    async (_name, endpoint) => {
      const { cookie } = people.owner
      const method = endpoint.method.toUpperCase()
      const answer = await sendFromPage(fleet, pathOf(endpoint, ''), { method, cookie })
      await answer.body?.cancel()
      expect(answer.status).toBe(401)
    },
  )

  describe('that a foreign page uses', () => {
    let before: Awaited<ReturnType<typeof digestOfState>>
    beforeAll(async () => {
      before = await digestOfState(pool)
    })
    const foreign: readonly [string, Record<string, string>, number][] = [
      ['another origin', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
      ['another site, which claims our origin', { 'sec-fetch-site': 'cross-site' }, 403],
      ['another host of our site', { 'sec-fetch-site': 'same-site' }, 403],
      ['an old browser, elsewhere', { origin: 'https://evil.example', 'sec-fetch-site': '' }, 403],
      ['no origin', { origin: 'null', 'sec-fetch-site': 'none' }, 403],
      ['text', { 'content-type': 'text/plain' }, 415],
      ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ]

    it.each(targets.filter(isUnsafe).map(titled))('does nothing: %s', async (_name, target) => {
      const { cookie } = people.owner
      const body = target.own === null ? {} : validBodyOf(target.own)
      const path = target.own === null ? undefined : ownPath(target.own, things)
      const statuses = foreign.map(async ([what, headers, status]) => {
        const request = { method: target.method.toUpperCase(), cookie, headers, body }
        const answer = await sendFromPage(fleet, path ?? pathOf(target, other.workspace.slug), request)
        await answer.body?.cancel()
        return [what, answer.status === status ? 'refused' : answer.status]
      })
      expect(await Promise.all(statuses)).toEqual(foreign.map(([what]) => [what, 'refused']))
    })

    it('changes no row', async () => {
      expect(Object.keys(before)).toEqual(expect.arrayContaining(['api_key', 'auth_session', 'membership']))
      expect(await digestOfState(pool)).toEqual(before)
    })
  })
})

/** People who lack a permission. */
const lacking: Readonly<Record<DashboardPermission, readonly PersonName[]>> = {
  anyone: [],
  user: [],
  any: [],
  grader: ['member', 'operator'],
  owner_admin: ['member', 'grader', 'operator'],
  owner: ['member', 'grader', 'admin', 'operator'],
  operator: ['member', 'admin', 'owner'],
}

describe('a person', () => {
  it.each(targets.filter(({ path }) => path.startsWith('/api/w/:slug/')).map(titled))(
    'of another workspace learns nothing of this one: %s',
    async (_name, target) => {
      const { cookie } = victims.owner
      const here = await errorOf(await send(target, { cookie }))
      expect(here).toEqual([404, 'not_found', 'slug'])
      expect(await errorOf(await send(target, { cookie }, 'no-such-workspace'))).toEqual(here)
    },
  )

  const weaker = targets.flatMap((target) =>
    lacking[target.permission].map((name): [string, PersonName, Target] => [
      `${titled(target)[0]} by ${name}`,
      name,
      target,
    ]),
  )
  it.each(weaker)('without the right is refused: %s', async (_name, name, target) => {
    const answer = await send(target, { cookie: people[name].cookie })
    expect((await errorOf(answer)).slice(0, 2)).toEqual([403, 'insufficient_permissions'])
  })

  it.each(targets.filter(({ needsFreshSignIn }) => needsFreshSignIn).map(titled))(
    'who signed in long ago is asked to sign in again: %s',
    async (_name, target) => {
      const { cookie } = people[target.permission === 'operator' ? 'staleOperator' : 'staleOwner']
      expect((await errorOf(await send(target, { cookie }))).slice(0, 2)).toEqual([403, 'fresh_sign_in_required'])
    },
  )

  /** The weakest who has the right. */
  const weakest: Readonly<Record<DashboardPermission, PersonName>> = {
    anyone: 'member',
    user: 'member',
    any: 'member',
    grader: 'grader',
    owner_admin: 'admin',
    owner: 'owner',
    operator: 'operator',
  }
  const entered = targets.filter(({ audience }) => audience !== 'public')
  it.each(entered.map(titled))('with the right enters: %s', async (_name, target) => {
    const { cookie } = people[weakest[target.permission]]
    // No endpoint accepts this body, so that nothing happens inside.
    const leaving = new AbortController()
    const request = { cookie, signal: leaving.signal, ...(isUnsafe(target) ? { body: { nonsense: true } } : {}) }
    const { status } = await send(target, request)
    leaving.abort()
    expect([401, 403].includes(status) || status >= 500).toBe(false)
  })
})

/** The path of an endpoint of the dashboard, with objects of a workspace. */
function ownPath(endpoint: DashboardEndpoint, own: OwnThings): string {
  const references = ownReferencesOf(endpoint).filter(({ where }) => where === 'params')
  return pathOf(
    endpoint,
    other.workspace.slug,
    Object.fromEntries(references.map(({ field, kind }) => [field, own[kind]])),
  )
}

describe('an object of another workspace', () => {
  let before: Awaited<ReturnType<typeof digestOfState>>
  beforeAll(async () => {
    before = await digestOfState(pool)
  })

  const askDashboard = async ({ endpoint, where, field }: OwnReference, asked: string): Promise<SeenAnswer> => {
    const query = where === 'query' ? `?${field}=${asked}` : ''
    const path = pathOf(endpoint, other.workspace.slug, where === 'params' ? { [field]: asked } : {})
    const body = endpoint.method === 'get' ? undefined : validBodyOf(endpoint)
    const method = endpoint.method.toUpperCase()
    const { cookie } = people.owner
    const answer = await sendFromPage(fleet, `${path}${query}`, {
      method,
      cookie,
      ...(body === undefined ? {} : { body }),
    })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text(), asked }
  }
  const own = dashboardEndpoints.flatMap(ownReferencesOf)
  it.each(own.map((each): [string, OwnReference] => [`${operationName(each.endpoint)} ${each.field}`, each]))(
    'cannot be distinguished from a missing one at the dashboard: %s',
    async (_name, reference) => {
      const answer = await askDashboard(reference, foreignThings[reference.kind])
      expect(findLeaks(answer, await askDashboard(reference, randomUUID()))).toEqual([])
      expect(answer.status).toBe(reference.where === 'params' ? 404 : 200)
    },
  )

  const askService = (reference: Reference, asked: string) =>
    askForAnswer(
      {
        url: `${fleet.url}/api/w/${other.workspace.slug}`,
        headers: { cookie: people.owner.cookie, 'sec-fetch-site': 'same-origin' },
        things: named.own,
      },
      reference,
      asked,
    )
  const references = sessionEndpoints.flatMap(referencesOf)
  const nameOf = (each: Reference): [string, Reference] => [
    `${operationName(each.endpoint)} ${each.where} ${each.field}`,
    each,
  ]

  it.each(references.map(nameOf))(
    'cannot be distinguished from a missing one behind the dashboard: %s',
    async (_name, reference) => {
      const foreign = named.foreign[reference.kind] ?? ''
      const answer = await askService(reference, foreign)
      const [none, malformed] = [await askService(reference, absentName(foreign)), await askService(reference, "x'--")]
      expect(findLeaks(answer, none)).toEqual([])
      if (reference.where === 'params') expect(answer.status).toBe(404)
      expect([none.status, malformed.status].filter((status) => status >= 500)).toEqual([])
    },
  )

  it('is unchanged afterwards', async () => {
    expect(await digestOfState(pool)).toEqual(before)
  })

  /** Objects of the caller that do not fit, with the status. */
  const refusals: Readonly<Record<string, number>> = {
    'POST /session/review/adjudications/:id params id': 404, // nobody disagrees about an item yet
    'GET /session/review/rounds/:id/batches/:n params id': 409, // it is not graded
    'GET /session/voice/calls/:id/recording params id': 404, // it was not recorded
    // The judge judges single answers.
    'POST /session/voice/agents body criterion_ids': 400,
    'PATCH /session/voice/agents/:id body criterion_ids': 400,
    'POST /session/labels body trace_id': 409, // its run has not ended
    ...Object.fromEntries(
      // Its judge is not proven.
      ['', '/estimate'].flatMap((path) =>
        [
          ...['modelVersionId', 'continueFromRoundId', 'datasetId', 'evalDatasetId', 'criterionId'],
          ...['model', 'segment', 'trace_id', 'alias'].map((name) => `filters.${name}`),
          ...['evalBaseline.criterionId', 'evalBaseline.judgeModel'],
        ].map((field) => [`POST /session/raft/rounds${path} body ${field}`, 412]),
      ),
    ),
    'POST /session/raft/rounds body secondCriterionId': 400, // the first one is the same
    'POST /session/raft/rounds/estimate body secondCriterionId': 400,
    'POST /session/raft/rounds/:id/cancel params id': 409, // it is done
    'POST /session/raft/rounds/:id/resume params id': 409,
  }

  it.each(references.map(nameOf))('unlike one of the caller: %s', async (_name, reference) => {
    const { status, body } = await askService(reference, named.own[reference.kind] ?? '')
    const refusal = refusals[nameOf(reference)[0]]
    const isRight = refusal === undefined ? status < 300 : status === refusal
    expect([isRight, isRight ? '' : `${status} ${body.slice(0, 500)}`]).toEqual([true, ''])
  })
})
