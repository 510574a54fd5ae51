import { Gauge, type Registry } from '@ratchet/telemetry/metrics'
import type { Deployment } from '../../routing/deployment.ts'
import type { ProviderDirectory } from '../../routing/provider-directory.ts'
import { defaultSettings } from '../../workspace-settings/workspace-settings.ts'

export interface EjectingDirectory extends Pick<ProviderDirectory, 'configured'> {
  ejected(): readonly Pick<Deployment, 'id' | 'host'>[]
}

/**
 * Shows how many of the platform's deployments of each provider are left alone at present, because they kept failing.
 * Those that workspaces brought are theirs to look after, and nobody else's alarm.
 */
export function showEjections(registry: Registry, directory: EjectingDirectory): void {
  new Gauge({
    name: 'deployments_ejected',
    help: 'Deployments of the platform that are left alone for a while, by provider of the catalog.',
    labelNames: ['provider'],
    registers: [registry],
    collect() {
      this.reset()
      for (const provider of directory.configured(defaultSettings)) this.set({ provider }, 0)
      for (const { id, host } of directory.ejected()) {
        if (host !== null) this.inc({ provider: id.slice(0, id.indexOf('/')) })
      }
    },
  })
}
