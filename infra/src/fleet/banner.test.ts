import { banner } from './banner.ts'
import type { FleetInfo } from './fleet-file.ts'

const info: FleetInfo = {
  base_url: 'http://127.0.0.1:8080',
  voice_base_url: 'http://127.0.0.1:8098',
  dashboard_url: null,
  database_url: 'postgres://127.0.0.1:5432/ratchet',
  redis_url: 'redis://127.0.0.1:6379',
  simulated_provider_url: null,
  workspace: 'demo',
  api_key: 'sk_svc_owner',
  owner_email: 'owner@demo.example',
  owner_password: null,
  member_api_key: 'sk_svc_member',
  voice_api_key: 'ck_live_owner',
  metrics_urls: {},
  pids: {},
}

function shown(env: Record<string, string>, simulated: string | null = null): string {
  const options = { model: 'sim/small', dataFolder: '.data', detached: false, env }
  return banner({ ...options, info: { ...info, simulated_provider_url: simulated } })
}

it('names the keys of the shell that make calls cost money', () => {
  expect(shown({ OPENAI_API_KEY: 'sk-1', GROQ_API_KEY: 'gsk' })).toMatch(/Models .*OPENAI_API_KEY, GROQ_API_KEY/)
  expect(shown({}, 'http://127.0.0.1:9')).toMatch(/Models +simulated/)
})

it('names a folder with further entries of the catalog, and no other', () => {
  expect(shown({ CATALOG_DIR: '/etc/models' })).toMatch(/Catalog .*\/etc\/models/)
  expect(shown({})).not.toContain('Catalog')
})
