import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createModelCatalog } from './create-model-catalog.ts'

const identity = {
  workspaceId: '00000000-0000-7000-8000-0000000000aa',
  userId: '00000000-0000-7000-8000-0000000000bb',
  keyId: '00000000-0000-7000-8000-0000000000cc',
  role: 'owner' as const,
}

function catalogThat(answers: (id: string) => unknown) {
  const call = async (_endpoint: unknown, { params }: { params?: { id: string[] } }) =>
    answers(params?.id.join('/') ?? '')
  return createModelCatalog({ call } as unknown as FleetClient)
}

const refusing = (status: number, code: string | null) =>
  catalogThat(() => {
    throw new FleetCallError('it says why', { status, code })
  })

describe('the catalog of models', () => {
  it('gives prices and capabilities of a model', async () => {
    const pricing = { input_per_mtok: 2.5, output_per_mtok: 10, cached_input_per_mtok: null }
    const catalog = catalogThat((id) => ({
      id,
      pricing,
      max_output_tokens: 16_384,
      capabilities: ['chat', 'tools'],
    }))
    const prices = { inputPerMtok: 2.5, outputPerMtok: 10, maxOutputTokens: 16_384 }
    expect(await catalog.find(identity, 'sim/judge')).toEqual({
      id: 'sim/judge',
      isChat: true,
      capabilities: ['chat', 'tools'],
      ...prices,
    })
  })

  it('gives null for an unknown name, and for one that no URL can contain', async () => {
    expect(await refusing(404, 'model_not_found').find(identity, 'sim/none')).toBeNull()
    expect(await catalogThat(() => 'never called').find(identity, 'sim/\ud800')).toBeNull()
  })

  it('refuses a model whose provider has no key, and reports an unavailable catalog', async () => {
    await expect(refusing(400, 'unknown_provider').find(identity, 'openai/x')).rejects.toMatchObject({
      code: 'unknown_provider',
      param: 'judge_model',
      message: 'it says why',
    })
    for (const status of [0, 500, 503, 429]) {
      await expect(refusing(status, null).find(identity, 'sim/judge')).rejects.toMatchObject({
        code: 'service_unavailable',
        headers: { 'retry-after': '1' },
      })
    }
    await expect(refusing(401, 'invalid_api_key').find(identity, 'sim/judge')).rejects.toBeInstanceOf(FleetCallError)
  })
})
