import { directoryOf, testDeps } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { responsesSurface } from '../surfaces/responses/responses-surface.ts'
import { aliasesOf, aliasRoute, testAliasId } from '../workspace-settings/alias-route.fixture.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'
import { planCandidates } from './plan-candidates.ts'
import { parsedRequest, question, silentProvider } from './request-records.fixture.ts'

const catalog = catalogOf(
  [
    modelEntry('acme/fast'),
    modelEntry('acme/slow'),
    modelEntry('acme/picky', { unsupported_parameters: ['temperature', 'logit_bias'] }),
    modelEntry('acme/embed', { kind: 'embedding' }),
    modelEntry('other/fast'),
    modelEntry('other/only'),
    modelEntry('idle/deep'),
  ],
  ['idle'],
)
const deps = testDeps(silentProvider, { catalog, directory: directoryOf(silentProvider, new Set(['acme', 'other'])) })

function plan(body: object, fallbackModels: readonly string[] = []): readonly string[] {
  const planned = parsedRequest({ ...question, ...body }, { settings: { ...defaultSettings, fallbackModels } })
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
  ])('plans the models that a request names: %s', (_name, body, ids) => {
    expect(plan(body)).toEqual(ids)
  })

  it.each([
    ['that there is not', { models: ['acme/none'] }, 'model_not_found', 'model'],
    ['that several providers offer', { models: ['fast'] }, 'model_not_found', 'model'],
    ['of a provider without a key', { models: ['idle/deep'] }, 'unknown_provider', 'model'],
    ['that is a dedicated endpoint', { models: ['dedicated/x'] }, 'dedicated_endpoint_not_found', 'model'],
    ['for something else', { models: ['acme/embed'] }, 'invalid_request', 'model'],
  ])('refuses a list with a model %s', (_name, body, code, param) => {
    expect(() => plan(body)).toThrow(expect.objectContaining({ code, param }))
  })

  it('adds the fallbacks of the workspace when a request names one model, without those that do not fit', () => {
    const all = ['acme/none', 'idle/deep', 'acme/embed', 'acme/picky', 'acme/fast', 'fast', 'acme/slow', 'only']
    expect(plan({ temperature: 0 }, all)).toEqual(['acme/fast', 'acme/picky', 'acme/slow', 'other/only'])
    expect(plan({ models: ['other/fast'] }, all)).toEqual(['acme/fast', 'other/fast'])
  })

  it('compares no names for a fallback of the workspace that the catalog does not have', () => {
    const compares = (): never => {
      throw new Error('names were compared')
    }
    const fallbackModels = ['acme/slwo', 'acme/slow-latest', 'acme/none-2025-01-01']
    const parsed = parsedRequest(question, { settings: { ...defaultSettings, fallbackModels } })
    const candidates = planCandidates({ ...deps, catalog: { ...catalog, alike: compares } }, parsed)
    expect(candidates.map(({ request }) => request.model.id)).toEqual(['acme/fast', 'acme/slow'])
  })

  it('gives a fallback the request without a parameter that it does not have, and names it', () => {
    const planned = parsedRequest({ ...question, temperature: 0, models: ['acme/picky'] }, { isStrict: true })
    const [first, second] = planCandidates(deps, planned)
    expect(first.request.body).toHaveProperty('temperature')
    expect(second?.request.body).not.toHaveProperty('temperature')
    expect(JSON.parse(String(second?.request.bytes))).not.toHaveProperty('temperature')
    expect([...(second?.request.leniency?.dropped ?? [])]).toEqual(['temperature'])
  })

  it.each(['max_tokens', 'max_completion_tokens'])('ends when a Responses body has %s', (name) => {
    const limited = catalogOf([modelEntry('acme/fast'), modelEntry('acme/picky', { unsupported_parameters: [name] })])
    const body = { model: 'acme/fast', input: 'Hi', models: ['acme/picky'], [name]: 5 }
    const candidates = planCandidates({ ...deps, catalog: limited }, parsedRequest(body, { surface: responsesSurface }))
    expect(candidates.map(({ request }) => request.model.id)).toEqual(['acme/fast', 'acme/picky'])
  })

  it('throws when a surface names a path that the body does not have', () => {
    const surface = { ...chatSurface, unsupportedParameter: () => 'seed' }
    expect(() => planCandidates(deps, parsedRequest(question, { surface }))).toThrow('seed')
  })

  it('refuses a parameter that changes the answer when the first model does not have it', () => {
    expect(() => plan({ model: 'acme/picky', logit_bias: { 5: 1 } })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'logit_bias' }),
    )
  })

  it('goes on without a temperature that the first model does not have', () => {
    expect(plan({ model: 'acme/picky', temperature: 0 })).toEqual(['acme/picky'])
  })

  it('does not replace a wrong model by the fallbacks of the workspace', () => {
    expect(() => plan({ model: 'acme/none' }, ['acme/slow'])).toThrow(
      expect.objectContaining({ code: 'model_not_found' }),
    )
  })

  it('gives each model the same request under its own id', () => {
    const planned = parsedRequest({ ...question, models: ['acme/slow'], stream: true })
    const candidates = planCandidates(deps, planned)
    for (const { request, deployments } of candidates) {
      expect(request).toMatchObject({ requestId: planned.requestId, dialect: 'chat', stream: true })
      expect([request.bytes, request.body]).toEqual([planned.bytes, planned.body])
      expect(deployments).toHaveLength(1)
    }
  })
})

describe('aliases', () => {
  const aliases = aliasesOf(
    aliasRoute({ name: 'bot' }),
    aliasRoute({ name: 'split', canaryModel: 'acme/slow', canaryPercent: 100, epoch: 3 }),
    aliasRoute({ name: 'only', targetModel: 'acme/slow' }),
    aliasRoute({ name: 'chained', targetModel: 'bot' }),
    aliasRoute({ name: 'stale', targetModel: 'acme/none' }),
    aliasRoute({ name: 'vectors', targetModel: 'acme/embed' }),
  )

  function candidatesOf(body: object, fallbackModels: readonly string[] = []) {
    const settings = { ...defaultSettings, fallbackModels, aliases }
    return planCandidates(deps, parsedRequest({ ...question, ...body }, { settings }))
  }
  const planned = (body: object, fallbackModels: readonly string[] = []) =>
    candidatesOf(body, fallbackModels).map(({ request }) => request.model.id)

  it.each([
    ['its target', { model: 'bot' }, ['acme/fast']],
    ['its canary', { model: 'split' }, ['acme/slow']],
    ['what it routes to though the catalog has the name', { model: 'only' }, ['acme/slow']],
    [
      'another model of the list',
      { model: 'bot', models: ['split', 'other/only'] },
      ['acme/fast', 'acme/slow', 'other/only'],
    ],
    ['a model of the list once', { model: 'bot', models: ['acme/fast', 'split', 'only'] }, ['acme/fast', 'acme/slow']],
  ])('route to %s', (_name, body, ids) => {
    expect(planned(body)).toEqual(ids)
  })

  it('may be fallbacks of the workspace, and are left out when they do not fit', () => {
    expect(planned({}, ['stale', 'vectors', 'bot', 'split'])).toEqual(['acme/fast', 'acme/slow'])
    expect(planned({ model: 'bot' }, ['bot', 'split'])).toEqual(['acme/fast', 'acme/slow'])
  })

  it.each([
    ['that was deleted', 'gone', 'model_not_found'],
    ['whose model left the catalog', 'stale', 'model_not_found'],
    ['that routes to another', 'chained', 'model_not_found'],
    ['of a model for something else', 'vectors', 'invalid_request'],
  ])('are refused: one %s', (_name, model, code) => {
    expect(() => planned({ model })).toThrow(expect.objectContaining({ code, param: 'model' }))
  })

  it('leave their arm and their epoch in the candidate', () => {
    const [first, second] = candidatesOf({ model: 'split', models: ['acme/fast'] })
    expect(first.alias).toEqual({ id: testAliasId, name: 'split', epoch: 3, arm: 'canary' })
    expect(second?.alias).toBeNull()
    expect(candidatesOf({ model: 'bot' })[0].alias).toMatchObject({ name: 'bot', arm: 'target' })
  })

  it('split by the trace of the request when they are sticky by trace', () => {
    const route = aliasRoute({ canaryModel: 'acme/slow', canaryPercent: 50, stickyBy: 'trace' })
    const settings = { ...defaultSettings, aliases: aliasesOf(route) }
    const modelsFor = (traceId: string | null) => {
      const requests = Array.from({ length: 40 }, (_, index) => `r${index}`)
      const asked = requests.map((requestId) => ({ settings, traceId, requestId }))
      return new Set(
        asked.map(
          (each) => planCandidates(deps, parsedRequest({ ...question, model: route.name }, each))[0].request.model.id,
        ),
      ).size
    }
    expect([modelsFor('a-trace'), modelsFor(null)]).toEqual([1, 2])
  })
})
