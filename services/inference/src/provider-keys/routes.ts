import { listProviders, type ProviderKeyTest, testProviderKey } from '@ratchet/contracts/session-providers'
import { mount } from '@ratchet/service-kit/http/mount'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { Router } from 'express'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { ModelDirectory } from '../routing/require-model.ts'
import type { ProviderFailure } from '../wire/provider.ts'
import type { SettingsSource, WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { listedProviders } from './listed-providers.ts'
import type { ProviderOutcomeReads } from './pg-provider-outcomes.ts'
import { callOnce, modelToTry, trialRequest } from './try-model.ts'

export interface ProviderKeyDeps extends ModelDirectory {
  readonly settings: SettingsSource
  readonly providerOutcomes: ProviderOutcomeReads
  readonly now: () => Date
}

/** Less than the time that a page waits for an answer. */
const timeoutMs = 20_000

/** For the page of a workspace's own keys. */
export function providerKeyRoutes(router: Router, deps: ProviderKeyDeps): void {
  const { catalog, settings: source } = deps
  mount(router, listProviders, async ({ identity: { workspaceId } }) => {
    const since = new Date(deps.now().getTime() - 7 * dayMs)
    const requests = await deps.providerOutcomes.ofWorkspace(workspaceId, since)
    const data = listedProviders(deps).map((each) => ({ ...each, requests_7d: requests.get(each.id) ?? 0 }))
    return { object: 'list' as const, data }
  })
  mount(router, testProviderKey, async ({ params: { provider }, identity: { workspaceId }, request }) => {
    const settings = await source.of(workspaceId)
    const model = modelToTry(catalog.models, provider)
    if (model === null || !hasKey(settings, provider)) throw notFound('provider key', 'provider')
    const beganAt = deps.now()
    const failure = settings.providerKeys.has(provider)
      ? await tryKey(deps, { model, workspaceId, settings, requestId: request.id })
      : unusable
    return replyOf(model, failure, deps.now().getTime() - beganAt.getTime())
  })
}

function hasKey({ providerKeys, unusableProviders }: WorkspaceSettings, provider: string): boolean {
  return providerKeys.has(provider) || unusableProviders.has(provider)
}

const unusable: ProviderFailure = {
  kind: 'misconfigured',
  message: 'The saved key or its base URL cannot be used here. Save it again.',
  retryAfterMs: null,
}

interface TriedKey {
  readonly model: CatalogModel
  readonly workspaceId: string
  readonly settings: WorkspaceSettings
  readonly requestId: string
}

/** The call is not a request of the workspace: nothing is held, charged, logged or retried. */
async function tryKey({ directory }: ProviderKeyDeps, tried: TriedKey): Promise<ProviderFailure | null> {
  const { model, workspaceId, settings, requestId } = tried
  const [deployment] = directory.deploymentsOf(model, { workspaceId, settings }).deployments
  if (deployment === undefined) return unusable
  const { provider, upstreamModel } = deployment
  return callOnce(provider, trialRequest(requestId, model, upstreamModel), timeoutMs)
}

const failureKinds: Readonly<Record<ProviderFailure['kind'], NonNullable<ProviderKeyTest['failure']>>> = {
  misconfigured: 'misconfigured',
  refused: 'refused',
  throttled: 'throttled',
  saturated: 'throttled',
  unavailable: 'unavailable',
  timed_out: 'timed_out',
  aborted: 'timed_out',
  no_room: 'broken',
  broken: 'broken',
}

function replyOf({ id, provider }: CatalogModel, failure: ProviderFailure | null, durationMs: number): ProviderKeyTest {
  return {
    object: 'provider_key_test',
    provider,
    model: id,
    failure: failure === null ? null : failureKinds[failure.kind],
    http_status: failure?.status ?? null,
    message: failure?.message ?? null,
    duration_ms: durationMs,
  }
}
