import { listInstalledProviders } from '@ratchet/contracts/internal-providers'
import { mount } from '@ratchet/service-kit/http/mount'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { Router } from 'express'
import type { ModelDirectory } from '../routing/require-model.ts'
import { listedProviders } from './listed-providers.ts'
import type { ProviderOutcomeReads } from './pg-provider-outcomes.ts'

export interface InstalledProviderDeps extends ModelDirectory {
  readonly providerOutcomes: ProviderOutcomeReads
  readonly now: () => Date
}

/** For operators: the providers of the installation, and how their calls end. */
export function installedProviderRoutes(router: Router, deps: InstalledProviderDeps): void {
  mount(router, listInstalledProviders, async () => {
    const counts = await deps.providerOutcomes.since(new Date(deps.now().getTime() - dayMs))
    const ejected = deps.directory.ejected().filter(({ host }) => host !== null)
    const data = listedProviders(deps).map(({ object: _, ...provider }) => {
      const { answered = 0, failed = 0 } = counts.find((each) => each.provider === provider.id) ?? {}
      const out = ejected.filter(({ id }) => id.startsWith(`${provider.id}/`)).length
      return { ...provider, ejected_deployments: out, answered, failed }
    })
    return { object: 'list' as const, data }
  })
}
