import type { CatalogProvider } from '../catalog/catalog.ts'
import { platformBaseUrl, platformKey } from './platform-access.ts'

function provider(change: Partial<CatalogProvider> = {}): CatalogProvider {
  const common = { id: 'acme-eu', name: 'Acme', adapter: 'openai', baseUrl: 'https://api.acme.test/v1' } as const
  return { ...common, apiKeyEnv: 'ACME_API_KEY', concurrencyMax: null, ...change }
}

const bedrock = provider({
  id: 'bedrock',
  adapter: 'bedrock',
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  apiKeyEnv: 'AWS_BEARER_TOKEN_BEDROCK',
})
const accessKey = { AWS_ACCESS_KEY_ID: 'AKIA1', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-west-1' }

describe('platformKey', () => {
  it('is the value of the variable, and null when that is empty', () => {
    expect(platformKey({ ACME_API_KEY: 'k' }, provider(), 'ACME_API_KEY')).toBe('k')
    expect(platformKey({ ACME_API_KEY: '' }, provider(), 'ACME_API_KEY')).toBeNull()
    expect(platformKey({}, provider(), 'ACME_API_KEY')).toBeNull()
  })

  it('is an AWS access key in the workspace format for Bedrock, when there is no Bedrock key', () => {
    expect(JSON.parse(platformKey(accessKey, bedrock, bedrock.apiKeyEnv) ?? '')).toEqual({
      access_key_id: 'AKIA1',
      secret_access_key: 'secret',
      session_token: null,
      region: 'eu-west-1',
    })
    const both = { ...accessKey, AWS_BEARER_TOKEN_BEDROCK: 'bearer' }
    expect(platformKey(both, bedrock, bedrock.apiKeyEnv)).toBe('bearer')
  })

  it('is not that access key for another provider, another variable, or half a key', () => {
    expect(platformKey(accessKey, provider(), 'AWS_BEARER_TOKEN_BEDROCK')).toBeNull()
    expect(platformKey(accessKey, bedrock, 'SECOND_BEDROCK_KEY')).toBeNull()
    expect(platformKey({ AWS_ACCESS_KEY_ID: 'AKIA1' }, bedrock, bedrock.apiKeyEnv)).toBeNull()
  })
})

describe('platformBaseUrl', () => {
  it('is the catalog`s unless the operator sets another one', () => {
    expect(platformBaseUrl({}, provider())).toBe('https://api.acme.test/v1')
    expect(platformBaseUrl({ ACME_EU_BASE_URL: 'http://10.0.0.1:8000/v1/' }, provider())).toBe(
      'http://10.0.0.1:8000/v1',
    )
  })

  it('is that of Bedrock in the region of the key', () => {
    const in_ = (region: string) => `https://bedrock-runtime.${region}.amazonaws.com`
    expect(platformBaseUrl({}, bedrock)).toBe(in_('us-east-1'))
    expect(platformBaseUrl(accessKey, bedrock)).toBe(in_('eu-west-1'))
    const own = JSON.stringify({ access_key_id: 'A', secret_access_key: 'S', region: 'ap-south-1' })
    expect(platformBaseUrl(accessKey, bedrock, own)).toBe(in_('ap-south-1'))
    expect(platformBaseUrl(accessKey, bedrock, 'a-bedrock-key')).toBe(in_('us-east-1'))
    expect(platformBaseUrl({ ...accessKey, BEDROCK_BASE_URL: 'http://sim' }, bedrock, own)).toBe('http://sim')
  })
})
