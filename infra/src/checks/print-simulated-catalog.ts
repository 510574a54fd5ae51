import {
  type SimulatedProviderId,
  simulatedCatalog,
  simulatedProviders,
} from '@ratchet/simulated-provider/simulated-catalog'

/** Returns the text of the catalog file that lists the simulated provider's models for inference. */
export function printSimulatedCatalog(): string {
  const file = {
    as_of: '2026-11-21',
    source: 'packages/simulated-provider/src/simulated-catalog.ts',
    providers: simulatedProviders.map(providerEntry),
    models: simulatedCatalog.map(({ capabilities, ...entry }) => ({
      ...entry,
      provider: entry.id.slice(0, entry.id.indexOf('/')),
      kind: kindOf(capabilities),
      capabilities,
    })),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** For each provider id: its adapter, and the path of its base URL at the simulated provider. */
const wires = {
  sim: { name: 'Simulated provider', adapter: 'openai', path: '/v1' },
  'sim-anthropic': { name: "Simulated provider, Anthropic's wire", adapter: 'anthropic', path: '/v1' },
  'sim-google': { name: "Simulated provider, Gemini's wire", adapter: 'google', path: '/v1beta' },
  'sim-bedrock': { name: "Simulated provider, Bedrock's wire", adapter: 'bedrock', path: '' },
} satisfies Record<SimulatedProviderId, { name: string; adapter: string; path: string }>

function providerEntry(id: SimulatedProviderId) {
  const { name, adapter, path } = wires[id]
  return { id, name, adapter, base_url: `http://127.0.0.1:8089${path}`, api_key_env: 'SIM_API_KEY' }
}

const kinds = [
  ['embeddings', 'embedding'],
  ['rerank', 'rerank'],
  ['moderations', 'moderation'],
  ['images', 'image'],
  ['speech', 'speech'],
  ['transcriptions', 'transcription'],
] as const

function kindOf(capabilities: readonly string[]): string {
  return kinds.find(([capability]) => capabilities.includes(capability))?.[1] ?? 'chat'
}
