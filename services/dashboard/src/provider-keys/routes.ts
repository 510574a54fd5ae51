import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import { listProviderKeys, removeProviderKey, saveProviderKey } from '@ratchet/contracts/dashboard/provider-keys'
import { done, listReply } from '@ratchet/contracts/dashboard/values'
import { providerKeyDisplayLength, providerKeyPlace } from '@ratchet/contracts/provider-key'
import { checkBaseUrl } from '@ratchet/http/check-base-url'
import { invalidRequest, notFound } from '@ratchet/service-kit/http/service-error'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { ProviderKeyStore } from './pg-provider-keys.ts'

export interface ProviderKeyDeps extends PeopleDeps {
  readonly providerKeys: ProviderKeyStore
  readonly secrets: Pick<SecretBox, 'seal'>
  readonly keyPrefix: string
}

export function providerKeyRoutes(router: Router, deps: ProviderKeyDeps): void {
  const { providerKeys, secrets, newId, keyPrefix } = deps
  mountForMember(router, deps, listProviderKeys, async ({ membership: { workspaceId } }) =>
    listReply((await providerKeys.list(workspaceId)).map(replyOf)),
  )
  mountForMember(router, deps, saveProviderKey, async ({ params: { provider }, body, membership, act }) => {
    const { workspaceId } = membership
    if (isWellFormedApiKey(keyPrefix, body.key))
      throw invalidRequest('key', '`key` is a key of this service, not of a provider.')
    const sealed = secrets.seal(body.key, providerKeyPlace({ workspaceId, provider }))
    const display = body.key.slice(-providerKeyDisplayLength)
    const baseUrl = baseUrlOf(body.base_url)
    return replyOf(await providerKeys.save(act, { id: newId(), provider, ...sealed, baseUrl, display }))
  })
  mountForMember(router, deps, removeProviderKey, async ({ params: { provider }, act }) => {
    if (!(await providerKeys.remove(act, provider))) throw notFound('provider key', 'provider')
    return done
  })
}

/** Only the shape is checked here. Inference decides whether it may call the host, because it has the operator's rules. */
function baseUrlOf(text: string | null): string | null {
  if (text === null) return null
  const checked = checkBaseUrl(text, { customHosts: true, allowedHosts: new Set() })
  if (checked.kind === 'refused') throw invalidRequest('base_url', `\`base_url\` is not allowed: ${checked.reason}.`)
  return checked.origin + checked.basePath
}

function replyOf(key: Awaited<ReturnType<ProviderKeyStore['list']>>[number]) {
  return {
    provider: key.provider,
    display: key.display,
    base_url: key.baseUrl,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
  }
}
