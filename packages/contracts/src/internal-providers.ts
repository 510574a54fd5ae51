import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { ListedProvider } from './session-providers.ts'

export const InstalledProvider = ListedProvider.omit({ object: true }).extend({
  ejected_deployments: z.int().describe('Places of its models that get no requests at present, because they failed.'),
  answered: z.int().describe('Requests of all workspaces that it answered in the last 24 hours, in whole hours.'),
  failed: z.int().describe('The same that ended without a whole answer because of it.'),
})

export const listInstalledProviders = endpoint({
  method: 'get',
  path: '/internal/providers',
  summary: 'List the providers of the installation, and how their calls end.',
  description: 'Ejections as the process that answers sees them.',
  service: 'inference',
  audience: 'internal',
  callers: ['dashboard'],
  reply: z.object({ object: z.literal('list'), data: z.array(InstalledProvider) }),
})
