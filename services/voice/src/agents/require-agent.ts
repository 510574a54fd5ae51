import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { StoredAgent } from './agent.ts'
import type { AgentStore } from './agent-store.ts'

/** @throws ServiceError `not_found`, also for an agent of another workspace */
export async function requireAgent(
  agents: Pick<AgentStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  publicId: string,
): Promise<StoredAgent> {
  const id = uuidOf('agent', publicId)
  const agent = id === null ? null : await agents.get({ workspaceId, id })
  if (agent === null) throw notFound('agent')
  return agent
}
