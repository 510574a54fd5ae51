import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { showEjections } from './show-ejections.ts'

it("counts the platform's deployments, but not those of workspaces", async () => {
  const { registry } = createProcessMetrics('test')
  const ejected = [
    { id: 'acme/fast@us', host: 'us.acme.test' },
    { id: 'acme/fast@own-1', host: null },
    { id: 'brought/any@own-2', host: null },
  ]
  showEjections(registry, { configured: () => new Set(['acme', 'idle']), ejected: () => ejected })

  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('ratchet_deployments_ejected{'))
  expect(lines).toEqual([
    'ratchet_deployments_ejected{provider="acme",service="test"} 1',
    'ratchet_deployments_ejected{provider="idle",service="test"} 0',
  ])
})
