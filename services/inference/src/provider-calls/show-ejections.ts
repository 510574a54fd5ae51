import { Gauge, type Registry } from '@ratchet/telemetry/metrics'
import type { ProviderDirectory } from '../deployments/provider-directory.ts'
import { defaultSettings } from '../domain/workspace-settings.ts'

/** Shows how many deployments of each provider are left alone at present, because they kept failing. */
export function showEjections(registry: Registry, directory: Pick<ProviderDirectory, 'configured' | 'ejected'>): void {
  new Gauge({
    name: 'deployments_ejected',
    help: 'Deployments that are left alone for a while, by provider of the catalog.',
    labelNames: ['provider'],
    registers: [registry],
    collect() {
      this.reset()
      for (const provider of directory.configured(defaultSettings)) this.set({ provider }, 0)
      for (const { id } of directory.ejected()) this.inc({ provider: id.slice(0, id.indexOf('/')) })
    },
  })
}
