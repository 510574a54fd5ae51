import { demoScript } from './demo-script.ts'
import type { Script } from './scripted-server.ts'

const at = '2026-11-20T10:00:00.000Z'
const page = (data: readonly unknown[]) => ({
  object: 'list',
  data,
  total: data.length,
  limit: 50,
  offset: 0,
  has_more: false,
})
const provider = (id: string, name: string, fields: object) => ({
  id,
  name,
  models: 0,
  name_patterns: [],
  installation_key: true,
  ejected_deployments: 0,
  answered: 0,
  failed: 0,
  ...fields,
})
const me = demoScript['GET /api/me'] as { readonly user: object }

/** The installation, as an operator sees it. */
export const adminScript: Script = {
  ...demoScript,
  'GET /api/me': { ...me, user: { ...me.user, operator: true } },
  'GET /api/admin/workspaces': page([
    {
      slug: 'demo',
      name: 'Demo',
      created_at: at,
      ledger: 'main',
      owners: ['ann@example.com'],
      members: 2,
      active_keys: 3,
      disabled_at: null,
      limits: { requests_per_minute: 600, tokens_per_minute: null, guarded_calls_per_minute: 500 },
    },
  ]),
  'GET /api/admin/providers': {
    object: 'list',
    data: [
      provider('openai', 'OpenAI', { models: 24, answered: 41_204, failed: 310, ejected_deployments: 1 }),
      provider('local', 'local', { name_patterns: ['local/<name>'], answered: 12 }),
      provider('cohere', 'Cohere', { models: 6, installation_key: false }),
    ],
  },
  'GET /api/admin/credits': page([
    { slug: 'demo', at, amount_nano: '-5000000000', reference: 'ticket-9', kind: 'correction' },
    { slug: 'demo', at, amount_nano: '20000000000', reference: 'inv-1', kind: 'top_up' },
  ]),
}
