import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { type Asking, sees } from '../scope.ts'
import type { StoredAgent } from './agent.ts'
import type { AgentStore } from './agent-store.ts'

/** @throws ServiceError `not_found`, also for an agent of another workspace, or that the key does not see */
export async function requireAgent(
  agents: Pick<AgentStore, 'get'>,
  asking: Asking,
  publicId: string,
  param?: string,
): Promise<StoredAgent> {
  const id = uuidOf('agent', publicId)
  const agent = id === null ? null : await agents.get({ workspaceId: asking.workspaceId, id })
  if (agent === null || !sees(asking, agent)) throw notFound('agent', param)
  return agent
}
