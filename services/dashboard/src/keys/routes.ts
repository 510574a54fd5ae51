import { keyDisplayLength, mintApiKey } from '@ratchet/contracts/api-key'
import { type ApiKey, changeApiKey, createApiKey, listApiKeys, revokeApiKey } from '@ratchet/contracts/dashboard/keys'
import { listReply } from '@ratchet/contracts/dashboard/values'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import type { Router } from 'express'
import type { z } from 'zod'
import type { Membership, Person } from '../people/person.ts'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { ApiKeyStore, KeyChanges, KeyScope } from './pg-api-keys.ts'

export interface KeyDeps extends PeopleDeps {
  readonly apiKeys: ApiKeyStore
  readonly keyPrefix: string
  readonly randomBytes: (count: number) => Uint8Array
}

export function keyRoutes(router: Router, deps: KeyDeps): void {
  const { apiKeys } = deps
  mountForMember(router, deps, listApiKeys, async (input) => listReply(await apiKeys.list(scopeOf(input))))
  createRoute(router, deps)
  mountForMember(router, deps, changeApiKey, async (input) => {
    const changes = changesOf(input.body)
    if (input.membership.role === 'member' && Object.keys(changes).some((field) => field !== 'name')) {
      throw new ServiceError(
        'insufficient_permissions',
        'Only owners and admins may change more of a key than its name.',
      )
    }
    const scope = ownScopeOf(input)
    if (!(await apiKeys.change(input.act, input.params.id, scope, changes))) throw notFound('API key')
    return find(apiKeys, scope, input.params.id)
  })
  mountForMember(router, deps, revokeApiKey, async (input) => {
    const scope = ownScopeOf(input)
    if (!(await apiKeys.revoke(input.act, input.params.id, scope))) throw notFound('API key')
    return find(apiKeys, scope, input.params.id)
  })
}

/** This is the only reply that contains the key. */
function createRoute(router: Router, deps: KeyDeps): void {
  const { apiKeys, keyPrefix, randomBytes, newId } = deps
  mountForMember(router, deps, createApiKey, async (input) => {
    const { name, requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } = input.body
    const { expires_at: expires, allowed_models: allowedModels } = input.body
    const limits = {
      requestsPerMinute,
      tokensPerMinute,
      expiresAt: expires === null ? null : new Date(expires),
      allowedModels,
    }
    const key = mintApiKey(keyPrefix, randomBytes)
    const id = newId()
    const stored = { id, name, hash: hashApiKey(key), display: key.slice(0, keyDisplayLength) }
    const exceeded = await apiKeys.create(input.act, { ...stored, ...limits })
    if (exceeded !== null) throw new ServiceError('quota_exceeded', exceeded)
    return { ...(await find(apiKeys, scopeOf(input), id)), key }
  })
}

function changesOf(body: z.infer<typeof changeApiKey.body>): KeyChanges {
  const { name, requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute } = body
  const { expires_at: expires, allowed_models: allowedModels } = body
  return {
    ...(name === undefined ? {} : { name }),
    ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
    ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
    ...(expires === undefined ? {} : { expiresAt: expires === null ? null : new Date(expires) }),
    ...(allowedModels === undefined ? {} : { allowedModels }),
  }
}

interface Asker {
  readonly person: Person
  readonly membership: Membership
}

/** Owners and admins see all keys. */
function scopeOf({ person, membership: { workspaceId, role } }: Asker): KeyScope {
  return { workspaceId, userId: role === 'member' ? person.userId : null }
}

/** Owners change all keys, others their own. */
function ownScopeOf({ person, membership: { workspaceId, role } }: Asker): KeyScope {
  return { workspaceId, userId: role === 'owner' ? null : person.userId }
}

async function find(apiKeys: ApiKeyStore, scope: KeyScope, id: string): Promise<ApiKey> {
  const key = await apiKeys.find(scope, id)
  if (key === null) throw notFound('API key')
  return key
}
