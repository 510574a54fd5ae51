import { directoryOf, testDeps } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../domain/catalog.fixture.ts'
import { defaultSettings } from '../domain/workspace-settings.ts'
import { planCandidates } from './plan-candidates.ts'
import { plannedRequest, question, silentProvider } from './planned-request.fixture.ts'

const catalog = catalogOf(
  [
    modelEntry('acme/fast'),
    modelEntry('acme/slow'),
    modelEntry('acme/picky', { unsupported_parameters: ['temperature'] }),
    modelEntry('acme/embed', { kind: 'embedding' }),
    modelEntry('other/fast'),
    modelEntry('other/only'),
    modelEntry('idle/deep'),
  ],
  ['idle'],
)
const deps = testDeps(silentProvider, { catalog, directory: directoryOf(silentProvider, new Set(['acme', 'other'])) })

function plan(body: object, fallbackModels: readonly string[] = []): readonly string[] {
  const planned = plannedRequest({ ...question, ...body }, { settings: { ...defaultSettings, fallbackModels } })
  return planCandidates(deps, planned).map(({ request }) => request.model.id)
}

describe('planCandidates', () => {
  it.each([
    ['the model', {}, ['acme/fast']],
    ['a model without its prefix', { model: 'only' }, ['other/only']],
    ['the model, then the list, none twice', { models: ['acme/slow', 'acme/fast'] }, ['acme/fast', 'acme/slow']],
    ['the list alone', { model: null, models: ['acme/slow', 'acme/fast'] }, ['acme/slow', 'acme/fast']],
    ['one model by two of its names', { model: 'other/only', models: ['only'] }, ['other/only']],
    ['one fallback by two of its names', { models: ['only', 'other/only'] }, ['acme/fast', 'other/only']],
  ])('takes what a request names: %s', (_name, body, ids) => {
    expect(plan(body)).toEqual(ids)
  })

  it.each([
    ['that there is not', { models: ['acme/none'] }, 'model_not_found', 'model'],
    ['that several providers offer', { models: ['fast'] }, 'model_not_found', 'model'],
    ['of a provider without a key', { models: ['idle/deep'] }, 'unknown_provider', 'model'],
    ['that is a dedicated endpoint', { models: ['dedicated/x'] }, 'dedicated_endpoint_not_found', 'model'],
    ['for something else', { models: ['acme/embed'] }, 'invalid_request', 'model'],
    [
      'that does not do what is asked',
      { models: ['acme/picky'], temperature: 0 },
      'unsupported_parameter',
      'temperature',
    ],
  ])('refuses a list with a model %s', (_name, body, code, param) => {
    expect(() => plan(body)).toThrow(expect.objectContaining({ code, param }))
  })

  it('takes the workspace`s fallbacks where a request names one model, and passes over what is unfit', () => {
    const all = ['acme/none', 'idle/deep', 'acme/embed', 'acme/picky', 'acme/fast', 'fast', 'acme/slow', 'only']
    expect(plan({ temperature: 0 }, all)).toEqual(['acme/fast', 'acme/slow', 'other/only'])
    expect(plan({}, all)).toEqual(['acme/fast', 'acme/picky', 'acme/slow', 'other/only'])
    expect(plan({ models: ['other/fast'] }, all)).toEqual(['acme/fast', 'other/fast'])
  })

  it('does not let a workspace`s fallbacks stand in for a model that is wrong', () => {
    expect(() => plan({ model: 'acme/none' }, ['acme/slow'])).toThrow(
      expect.objectContaining({ code: 'model_not_found' }),
    )
  })

  it('gives each model the same request under its own name', () => {
    const planned = plannedRequest({ ...question, models: ['acme/slow'], stream: true })
    const candidates = planCandidates(deps, planned)
    for (const { request, deployments } of candidates) {
      expect(request).toMatchObject({ requestId: planned.requestId, dialect: 'chat', stream: true })
      expect([request.bytes, request.body]).toEqual([planned.bytes, planned.body])
      expect(deployments).toHaveLength(1)
    }
  })
})
