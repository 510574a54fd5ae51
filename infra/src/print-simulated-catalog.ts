import { simulatedCatalog } from '@ratchet/testing/simulated-provider/simulated-catalog'

/** The catalog file that tells inference of the simulated provider's models, as text. */
export function printSimulatedCatalog(): string {
  const file = {
    as_of: '2026-11-21',
    source: 'packages/testing/src/simulated-provider/simulated-catalog.ts',
    providers: [
      {
        id: 'sim',
        name: 'Simulated provider',
        adapter: 'openai',
        base_url: 'http://127.0.0.1:8089/v1',
        api_key_env: 'SIM_API_KEY',
      },
    ],
    models: simulatedCatalog.map(({ capabilities, ...entry }) => ({
      ...entry,
      provider: 'sim',
      kind: kindOf(capabilities),
      capabilities,
    })),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

function kindOf(capabilities: readonly string[]): 'chat' | 'embedding' | 'rerank' {
  if (capabilities.includes('embeddings')) return 'embedding'
  return capabilities.includes('rerank') ? 'rerank' : 'chat'
}
