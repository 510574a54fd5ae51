import { uuidOf } from '@ratchet/contracts/public-id'
import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { AgentStore } from '../agents/agent-store.ts'
import { requireAgent } from '../agents/require-agent.ts'
import type { CanaryStore } from '../canaries/canary.ts'
import { chooseArm } from '../canaries/choose-arm.ts'
import type { Asking } from '../scope.ts'
import type { ChosenArm } from './call.ts'

export interface ChosenVersion {
  readonly agent: { readonly id: string; readonly version: number }
  readonly spec: AgentSpec
  /** Null for a call that names its version, and of an agent without a canary. */
  readonly chosen: ChosenArm | null
  /** UUIDs of the judges of the call. */
  readonly criterionIds: readonly string[]
}

export interface VersionOrder {
  readonly agent_id: string
  readonly agent_version?: number | undefined
  /** What tells callers apart: a telephone number, or the id of the call. */
  readonly caller: string
}

/**
 * The version of an agent that a new call uses, and the judges that will judge it: those of the agent, and that of a canary.
 *
 * @throws ServiceError `not_found`; `conflict` when nothing is published
 */
export async function chooseVersion(
  { agents, canaries }: { readonly agents: AgentStore; readonly canaries: Pick<CanaryStore, 'get'> },
  asking: Asking,
  { agent_id, agent_version: named, caller }: VersionOrder,
): Promise<ChosenVersion> {
  const agent = await requireAgent(agents, asking, agent_id, 'agent_id')
  const canary = named === undefined ? await canaries.get(agent) : null
  const arm = chooseArm(canary, caller)
  const number = named ?? arm?.version ?? agent.publishedVersion
  if (number === null) throw new ServiceError('conflict', 'The agent has no published version. Publish one first.')
  const version = await agents.version(agent, number)
  if (version === null) throw notFound('version', 'agent_version')
  const { spec } = version
  const ofAgent = spec.criterion_ids.flatMap((each) => uuidOf('criterion', each) ?? [])
  const ofCanary = arm === null || canary === null ? [] : [canary.settings.gate_criterion_id]
  return {
    agent: { id: agent.id, version: number },
    spec,
    chosen: arm === null ? null : { arm: arm.arm, epoch: arm.epoch },
    criterionIds: [...new Set([...ofAgent, ...ofCanary])],
  }
}
