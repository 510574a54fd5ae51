import { Gauge, type Registry } from '@ratchet/telemetry/metrics'
import type { Deployment } from '../../routing/deployment.ts'
import type { ProviderDirectory } from '../../routing/provider-directory.ts'
import { defaultSettings } from '../../workspace-settings/workspace-settings.ts'

export interface EjectingDirectory extends Pick<ProviderDirectory, 'configured'> {
  ejected(): readonly Pick<Deployment, 'id' | 'host'>[]
}

/**
 * Exposes how many of the platform's deployments of each provider are ejected at present because they failed repeatedly.
 * Deployments with a workspace's own key are not counted, because the operator can do nothing about them.
 */
export function showEjections(registry: Registry, directory: EjectingDirectory): void {
  new Gauge({
    name: 'ratchet_deployments_ejected',
    help: 'Deployments of the platform that are ejected at present, by provider of the catalog.',
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
