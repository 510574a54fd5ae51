import { readFileSync } from 'node:fs'
import path from 'node:path'
import { serviceNames } from '@ratchet/contracts/endpoint'
import { parseCallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { deriveAudienceKey, deriveCallerKey, parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { repositoryRoot } from './data-paths.ts'
import { identityVariables } from './identity-variables.ts'
import { providerVariables } from './provider-variables.ts'
import type { ServiceContext } from './service-context.ts'
import { serviceEnv, services } from './service-list.ts'
import { originOf } from './service-settings.ts'

const masterKeys = parseNamedKeys(
  `k2:${Buffer.alloc(32, 2).toString('base64')},k1:${Buffer.alloc(32, 1).toString('base64')}`,
)

const context: ServiceContext = {
  host: '127.0.0.1',
  databaseUrl: 'postgres://localhost/ratchet',
  redisUrl: 'redis://localhost',
  masterKeys,
  encryptionKeys: [{ id: 'e1', secret: Buffer.alloc(32, 3) }],
  spillFolder: '/data/spill',
  artifactsFolder: '/data/artifacts',
  dashboard: { sessionUrl: 'http://edge:8092', authSecret: 'secret', webFolder: '/web' },
  urlOf: (service) => `http://${service}`,
  env: {},
}

function envOf(name: string, env: ServiceContext['env'] = {}): Record<string, string> {
  const service = services.find((candidate) => candidate.name === name)
  if (service === undefined) throw new Error(`no service ${name}`)
  return serviceEnv(service, { ...context, env })
}

it('gives a service keys that are derived for its audience, and not the master keys', () => {
  const keys = parseNamedKeys(envOf('inference').IDENTITY_KEYS ?? '')
  expect(keys).toEqual(masterKeys.map(({ id, secret }) => ({ id, secret: deriveAudienceKey(secret, 'inference') })))
  expect(envOf('inference')).not.toHaveProperty('IDENTITY_MASTER_KEYS')
})

it('gives keys and addresses of providers only to services that call them', () => {
  const env = { OPENAI_API_KEY: 'sk-1', ACME_API_KEY: 'sk-2', GROQ_BASE_URL: 'https://groq.test/v1', UNRELATED: 'x' }
  expect(envOf('inference', env)).toMatchObject({
    OPENAI_API_KEY: 'sk-1',
    ACME_API_KEY: 'sk-2',
    GROQ_BASE_URL: 'https://groq.test/v1',
  })
  expect(envOf('inference', env)).not.toHaveProperty('UNRELATED')
  expect(envOf('edge', env)).not.toHaveProperty('OPENAI_API_KEY')
  // Speech of calls.
  expect(envOf('voice-worker', env)).toMatchObject({ OPENAI_API_KEY: 'sk-1' })
  expect(envOf('voice-worker', env)).not.toHaveProperty('ACME_API_KEY')
})

it('gives encryption keys only to services that store secrets', () => {
  expect(envOf('inference').ENCRYPTION_KEYS).toBe(`e1:${Buffer.alloc(32, 3).toString('base64')}`)
  const holders = services.filter(({ name }) => envOf(name).ENCRYPTION_KEYS !== undefined)
  expect(holders.map(({ name }) => name)).toEqual([
    'inference',
    'alias',
    'alias-worker',
    'training',
    'training-worker',
    'voice',
    'voice-worker',
    'dashboard',
  ])
})

it('gives a caller the URL of its callee, with keys of this caller and this callee', () => {
  expect(parseCallerKeys(envOf('logging').ALIAS_KEYS ?? '')).toEqual(
    masterKeys.map(({ id, secret }) => ({
      caller: 'logging',
      id,
      secret: deriveCallerKey(deriveAudienceKey(secret, 'alias'), 'logging'),
    })),
  )
  expect(envOf('logging').ALIAS_URL).toBe('http://alias')
  for (const { name } of services) {
    if (name === 'edge' || name === 'dashboard') continue
    const { IDENTITY_KEYS: _own, ENCRYPTION_KEYS: _secrets, JOB_TOKEN_KEYS: _tokens, ...others } = envOf(name)
    const named = (ending: string) =>
      Object.keys(others).flatMap((key) => (key.endsWith(ending) ? [key.slice(0, -ending.length)] : []))
    // Trainers have no key of the fleet: each gets a token for its job.
    const stores = ['DATABASE', 'REDIS', ...(name === 'training-worker' ? ['TRAINER'] : [])]
    expect([name, named('_KEYS')]).toEqual([name, named('_URL').filter((each) => !stores.includes(each))])
  }
})

it('gives the dashboard keys for the edge and for inference, and the address of the listener that accepts the first', () => {
  const { EDGE_KEYS = '', INFERENCE_KEYS = '', ENCRYPTION_KEYS: _secrets, ...others } = envOf('dashboard')
  expect(parseCallerKeys(INFERENCE_KEYS)).toEqual(
    masterKeys.map(({ id, secret }) => ({
      caller: 'dashboard',
      id,
      secret: deriveCallerKey(deriveAudienceKey(secret, 'inference'), 'dashboard'),
    })),
  )
  expect(parseCallerKeys(EDGE_KEYS)).toEqual(
    masterKeys.map(({ id, secret }) => ({
      caller: 'dashboard',
      id,
      secret: deriveCallerKey(deriveAudienceKey(secret, 'edge'), 'dashboard'),
    })),
  )
  expect(others).toMatchObject({ SESSION_DOOR_URL: 'http://edge:8092', AUTH_SECRET: 'secret', WEB_FOLDER: '/web' })
  expect(Object.keys(others).filter((name) => name.endsWith('_KEYS'))).toEqual([])
  expect(envOf('edge')).toMatchObject({ DASHBOARD_URL: 'http://dashboard', SESSION_PORT: '8092' })
  expect(serviceNames.filter((name) => envOf(name).AUTH_SECRET !== undefined)).toEqual([])
})

it.each([
  [undefined, 'http://127.0.0.1:8080', 'http://localhost:8080'],
  ['https://ratchet.example.com', 'http://127.0.0.1:8080', 'https://ratchet.example.com'],
])('opens the dashboard, set to %s, behind the edge at %s: at %s', (given, edge, origin) => {
  expect(originOf({ urlOf: () => edge, env: { DASHBOARD_ORIGIN: given } })).toBe(origin)
})

it('knows no dashboard at the edge of a fleet without one', () => {
  const { dashboard: _none, ...without } = context
  const edge = services.find(({ name }) => name === 'edge')
  const env = edge === undefined ? {} : serviceEnv(edge, without)
  expect(Object.keys(env).filter((name) => /DASHBOARD|SESSION/.test(name))).toEqual([])
})

it('gives no process but the edge and those of the callee a key with which the edge signs', () => {
  const variables = identityVariables(masterKeys)
  const own = Object.entries(variables).filter(([name]) => name.endsWith('_IDENTITY_KEYS'))
  expect(own).toHaveLength(7)
  for (const [variable, value] of own) {
    const holders = services.filter(({ name }) => Object.values(envOf(name)).some((set) => set.includes(value)))
    const callees = new Set(holders.map(({ name }) => name.replace(/-worker$/, '').toUpperCase()))
    expect([...callees]).toEqual([variable.replace('_IDENTITY_KEYS', '')])
  }
})

it('uses exactly the pairs of services that the contracts allow', () => {
  const used = services.flatMap(({ name }) =>
    Object.keys(envOf(name)).flatMap((variable) => {
      const [, audience] = /^(?!IDENTITY|ENCRYPTION)([A-Z]+)_KEYS$/.exec(variable) ?? []
      return audience === undefined ? [] : [`${name.replace('-worker', '').toUpperCase()}_TO_${audience}_KEYS`]
    }),
  )
  const made = Object.keys(identityVariables(masterKeys)).filter((name) => name.includes('_TO_'))
  expect([...new Set(used)].sort()).toEqual(made.sort())
})

it('gives the settings of the gate to alias and its worker and to no other process', () => {
  const settings = {
    GATE_EVERY_MS: '1000',
    GATE_INGEST_LAG_MS: '100',
    GATE_PROMOTE_AFTER_HOURS: '1',
    GATE_GRADES_PER_ARM: '30',
    SHADOW_CONCURRENCY: '2',
  }
  const taken = services.filter(({ name }) => Object.keys(settings).some((setting) => setting in envOf(name, settings)))
  expect(taken.map(({ name }) => name)).toEqual(['alias', 'alias-worker'])
  expect(envOf('alias-worker', settings)).toMatchObject(settings)
})

it('treats an empty variable as unset', () => {
  expect(envOf('inference', { OPENAI_API_KEY: '' })).not.toHaveProperty('OPENAI_API_KEY')
})

it('enables the simulated provider only when its URL is given', () => {
  expect(envOf('inference')).not.toHaveProperty('SIMULATED_PROVIDER_URL')
})

it('knows the key of every provider in the catalog', () => {
  const file = path.join(repositoryRoot, 'services/inference/catalog/providers.json')
  const { providers } = JSON.parse(readFileSync(file, 'utf8')) as { providers: { api_key_env: string }[] }
  const named = providers.map(({ api_key_env }) => api_key_env)
  expect([...providerVariables].sort()).toEqual([...named, 'GOOGLE_API_KEY', 'AWS_ACCESS_KEY_ID'].sort())
})
