import { publicId } from '@ratchet/contracts/public-id'
import type { Agent, AgentVersion } from '@ratchet/contracts/voice/agents'
import type { StoredAgent, StoredVersion } from './agent.ts'

export function agentReply(agent: StoredAgent): Agent {
  return {
    object: 'agent',
    id: publicId('agent', agent.id),
    ...agent.spec,
    version: agent.version,
    published_version: agent.publishedVersion,
    canary_version: agent.canaryVersion,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  }
}

export function versionReply(version: StoredVersion, published: number | null): AgentVersion {
  return {
    object: 'agent.version',
    id: publicId('agentVersion', version.id),
    agent_id: publicId('agent', version.agentId),
    version: version.version,
    sha256: version.sha256,
    is_published: version.version === published,
    created_by: version.createdBy,
    created_at: version.createdAt.toISOString(),
    ...version.spec,
  }
}
