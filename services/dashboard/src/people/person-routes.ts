import type { DashboardEndpoint } from '@ratchet/contracts/dashboard/dashboard-endpoint'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import type { Request, Response, Router } from 'express'
import type { z } from 'zod'
import type { Act } from '../audit/act.ts'
import { clientAddress } from '../sign-in/client-address.ts'
import type { Membership, Person } from './person.ts'
import type { People } from './pg-people.ts'
import { requireAccess, requirePerson, unknownWorkspace } from './require-access.ts'
import { requireSameOrigin } from './require-same-origin.ts'
import { readSessionToken, type SessionCookie } from './session-cookie.ts'

export interface PeopleDeps {
  readonly people: Pick<People, 'find'>
  readonly cookie: SessionCookie
  readonly origins: readonly string[]
  readonly now: () => Date
  readonly newId: () => string
}

/** What a handler is called with. */
export interface PersonInput<E extends DashboardEndpoint> {
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: z.output<E['body']>
  readonly request: Request
  readonly response: Response
  readonly now: Date
  /** Null only for an endpoint that anyone may call. */
  readonly visitor: Person | null
}

/** The same for endpoints of a workspace. */
export interface MemberInput<E extends DashboardEndpoint> extends PersonInput<E> {
  readonly person: Person
  readonly membership: Membership
  /** What the audit writes with a change. */
  readonly act: Act
}

type Reply<E extends DashboardEndpoint> = z.input<E['reply']>

/** Mounts an endpoint of the dashboard: who sends it, where from, input, handler, reply. */
export function mountForPerson<E extends DashboardEndpoint>(
  router: Router,
  deps: PeopleDeps,
  endpoint: E,
  handle: (input: PersonInput<E>) => Promise<Reply<E>>,
): void {
  mountAdmitted(router, deps, endpoint, (input) => handle(input))
}

/** The same for an endpoint of a workspace. */
export function mountForMember<E extends DashboardEndpoint>(
  router: Router,
  deps: PeopleDeps,
  endpoint: E,
  handle: (input: MemberInput<E>) => Promise<Reply<E>>,
): void {
  mountAdmitted(router, deps, endpoint, (input, membership) => {
    const { visitor, request, now } = input
    const person = requirePerson(visitor)
    if (membership === null) throw unknownWorkspace()
    const { workspaceId } = membership
    const act = { id: deps.newId(), workspaceId, userId: person.userId, requestId: request.id, at: now }
    return handle({ ...input, person, membership, act })
  })
}

function mountAdmitted<E extends DashboardEndpoint>(
  router: Router,
  deps: PeopleDeps,
  endpoint: E,
  handle: (input: PersonInput<E>, membership: Membership | null) => Promise<Reply<E>>,
): void {
  router[endpoint.method](endpoint.path, async (request, response) => {
    request.routeName = endpoint.path
    requireSameOrigin({ method: request.method, headers: request.headers, origins: deps.origins })
    let now = deps.now()
    let { person, membership } = await findCaller(deps, request, now)
    requireAccess(endpoint, { person, membership, now })
    request.bodyOwner = person?.userId ?? clientAddress(request)
    const sent = await bodyOf(request, response, endpoint)
    if (sent !== noBody) {
      // The sender decides how long a body takes. Who lost a right meanwhile must not use it any more.
      now = deps.now()
      ;({ person, membership } = await findCaller(deps, request, now))
      requireAccess(endpoint, { person, membership, now })
    }
    const input = {
      params: parseInput<E['params']>(endpoint.params, request.params),
      query: parseInput<E['query']>(endpoint.query, request.query),
      body: parseInput<E['body']>(endpoint.body, sent),
    }
    const reply = await handle({ ...input, request, response, now, visitor: person }, membership)
    if (endpoint.streams || endpoint.isCsv) return
    response.set('cache-control', 'no-store').status(endpoint.status).json(endpoint.reply.parse(reply))
  })
}

/** Who sends a request, by its cookie, and what they are in the workspace that the path names. */
export async function findCaller(
  { people, cookie }: Pick<PeopleDeps, 'people' | 'cookie'>,
  request: Pick<Request, 'headers' | 'params'>,
  now: Date,
): Promise<{ readonly person: Person | null; readonly membership: Membership | null }> {
  const token = readSessionToken(cookie, request.headers.cookie)
  const slug = typeof request.params.slug === 'string' ? request.params.slug : null
  const found = token === null ? null : await people.find({ token, slug, now })
  return found ?? { person: null, membership: null }
}

const noBody = {} as const

async function bodyOf(
  request: Request,
  response: Response,
  { method, maxBodyBytes }: DashboardEndpoint,
): Promise<unknown> {
  if (method === 'get' || request.headers['content-type'] === undefined) return noBody
  return readJson(request, response, maxBodyBytes)
}
